"""Arguments that released versions of scikit-learn accept or accepted, and that newer versions lack.

Source: the deprecations in the changelogs of scikit-learn (https://scikit-learn.org/stable/whats_new.html).
"""

from collections.abc import Mapping, Set
from typing import Final

_REMOVED: Final[Mapping[str, tuple[str, ...]]] = {
    "multi_class": ("LogisticRegression", "LogisticRegressionCV"),
    "n_jobs": ("KMeans",),
    "precompute_distances": ("KMeans",),
    "normalize": (
        *("LinearRegression", "Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV", "Lasso", "LassoCV"),
        *("ElasticNet", "ElasticNetCV", "Lars", "LarsCV", "LassoLars", "LassoLarsCV", "BayesianRidge", "ARDRegression"),
        *("OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV", "MultiTaskLasso", "MultiTaskElasticNet"),
    ),
    "base_estimator": (
        *("BaggingClassifier", "BaggingRegressor", "AdaBoostClassifier", "AdaBoostRegressor", "RANSACRegressor"),
        *("CalibratedClassifierCV", "ClassifierChain"),
    ),
    "algorithm": ("AdaBoostClassifier",),
    "min_impurity_split": (
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor"),
        *("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"),
        *("GradientBoostingClassifier", "GradientBoostingRegressor"),
    ),
    "presort": (
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "GradientBoostingClassifier", "GradientBoostingRegressor"),
    ),
    "affinity": ("AgglomerativeClustering", "FeatureAgglomeration"),
    "sparse": ("OneHotEncoder",),
    "categorical_features": ("OneHotEncoder",),
    "n_values": ("OneHotEncoder",),
    "iid": ("GridSearchCV", "RandomizedSearchCV"),
    "fit_params": ("GridSearchCV", "RandomizedSearchCV"),
    "n_iter": ("SGDClassifier", "SGDRegressor", "Perceptron", "PassiveAggressiveClassifier", "TSNE"),
    "squared": ("mean_squared_error",),
    "n_topics": ("LatentDirichletAllocation",),
}
"""Each argument with the classes and functions that had it in some release."""


def released_arguments(call: str) -> Set[str]:
    """Return the arguments of a class or function of scikit-learn that only other releases have."""
    return {argument for argument, owners in _REMOVED.items() if call in owners}
