import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split

X, y = load_diabetes(return_X_y=True, scaled=False)
Xa, Xb, ya, yb = train_test_split(X, y, test_size=0.2, random_state=7)
m = make_pipeline(StandardScaler(), Ridge(alpha=10)).fit(Xa, ya)
print(np.sqrt(np.mean((m.predict(Xb) - yb) ** 2)), m.score(Xb, yb))
