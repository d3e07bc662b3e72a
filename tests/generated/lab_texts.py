"""Right answers to this lab: in parts, in few words, in several languages."""

PARTS = {
    "Question 1": """## Question 1

Token embedding: 32000 × 512 = 16384000. Position embedding: (256 + 2) × 512 = 132096.
Attention: 4 × 512 × 512 = 1048576 in each layer. Feed-forward: 2 × 512 × 512 = 524288.
One layer: 1048576 + 524288 = 1572864. Four layers: 4 × 1572864 = 6291456.
Total: 16384000 + 132096 + 6291456 = 22807552 parameters, biases and norms left out.
""",
    "Task 3": """## Task 3

We fine-tune the pretrained model with fairseq and choose the checkpoint with the best validation accuracy.

| Seed | Best validation accuracy | Test accuracy |
|---|---|---|
| 0 | 83.5 | 79.30 |
| 1 | 81.0 | 78.50 |
| 2 | 82.5 | 80.10 |

On the test set the average is 79.30 % and the standard deviation 0.65 %.
""",
    "Task 4": """## Task 4

From random weights the test accuracies are 65.40, 66.70 and 67.40 % for the seeds 0, 1 and 2: on average 66.50 %, with
a standard deviation of 0.83 %. The pretrained model is better than the random one.
""",
    "Task 5": """## Task 5

With Hugging Face and run_glue the test accuracies are 80.10, 79.25 and 79.85 % for three seeds. The average is 79.73 %
and the standard deviation 0.36 %.
""",
    "Question 2": """## Question 2

- r = 16: the rank of the low-rank matrices A and B.
- lora_alpha = 32: the scaling factor; the update is multiplied by lora_alpha / r.
- target_modules = ["query_key_value"]: the names of the modules to which the adapters are applied.
- lora_dropout = 0.05: the dropout probability of the LoRA layers.
- bias = "none": no bias is trained.
- task_type = "CAUSAL_LM": causal language modelling, predicting the next token.
""",
}
TERSE = (
    "Q1: 22,807,552\n\nT3: 79.3, 78.5, 80.1 -> 79.3 +- 0.65\n\nT4: 65.4, 66.7, 67.4 -> 66.5 +- 0.83\n",
    "# Question 1\n\n22829056\n\n# Task 3\n\n79.30 (0.65)\n\n# Task 4\n\n66.50 (0.83)\n\n# Task 5\n\n79.73 (0.36)\n",
    "Q1. 22 807 552\n\nQ2. r=16 lora_alpha=32 target_modules=query_key_value lora_dropout=0.05 bias=none "
    "task_type=CAUSAL_LM\n",
    "# Question 1\n\n32000*512 + 258*512 + 4*(4*512*512 + 2*512*512) = 22807552\n",
    "# Question 2\n\nr: the rank. lora_alpha: the scaling. target_modules: the adapted modules. lora_dropout: dropout "
    "of the adapters. bias: which biases are trained. task_type: the task.\n",
    "# Task 3\n\n| seed | test |\n|---|---|\n| 0 | 79.3 |\n| 1 | 78.5 |\n| 2 | 80.1 |\n\nmean 79.3, std 0.65\n",
)
_NUMBERS = """| seed | validation | test |
|---|---|---|
| 0 | 83.5 | 79.30 |
| 1 | 81.0 | 78.50 |
| 2 | 82.5 | 80.10 |
"""
LANGUAGES = {
    "French": f"""# Question 1

Le plongement des mots compte 32000 × 512 = 16384000 paramètres, les positions 258 × 512 = 132096. Chaque couche en
compte 1048576 + 524288 = 1572864, et les quatre couches 4 × 1572864 = 6291456. Le modèle compte donc 16384000 + 132096
+ 6291456 = 22807552 paramètres, sans les biais et les normalisations, comme la consigne le permet.

# Tâche 3

Nous avons affiné le modèle préentraîné avec fairseq et trois graines sur les critiques de livres. Pour chaque graine
nous gardons le point de contrôle dont la précision de validation est la meilleure.

{_NUMBERS}
La moyenne sur le jeu de test est de 79,30 % et l'écart-type de 0,65 %.
""",
    "Spanish": f"""# Pregunta 1

El modelo RoBERTa tiene una tabla de palabras con 32000 × 512 = 16384000 parámetros y una de posiciones con 258 × 512 =
132096. Cada capa del modelo tiene 1048576 + 524288 = 1572864 parámetros, y las cuatro capas son 6291456. El total es de
22807552 parámetros, sin contar los sesgos y las normas, como se permite en el enunciado de la práctica.

# Tarea 3

Hemos ajustado el modelo preentrenado con fairseq y con tres semillas. Para cada una de las semillas se elige el punto
de control con la mejor exactitud en la validación, y después se mide la exactitud en la prueba.

{_NUMBERS}
La media es de 79,30 % y la desviación típica es de 0,65 %. Los resultados son mejores que con pesos al azar.
""",
    "German": f"""# Frage 1

Das Modell RoBERTa hat eine Tabelle der Wörter mit 32000 × 512 = 16384000 Parametern und eine der Positionen mit 258 ×
512 = 132096. Jede der vier Schichten hat 1048576 + 524288 = 1572864 Parameter, und alle zusammen sind es 6291456. Die
Summe ist 22807552, wobei die Verschiebungen und die Normen nicht mit gezählt werden, wie es erlaubt ist.

# Aufgabe 3

Wir haben das vortrainierte Modell mit fairseq und drei Startwerten auf die Daten angepasst. Für jeden Startwert wird
der Stand mit der besten Genauigkeit auf den Daten zur Auswahl genommen und dann auf den anderen Daten gemessen.

{_NUMBERS}
Der Mittelwert ist 79,30 % und die Abweichung ist 0,65 %. Das ist besser als mit zufälligen Gewichten.
""",
    "Chinese": f"""# 问题 1

模型 RoBERTa 的词嵌入有 32000 × 512 = 16384000 个参数,位置嵌入有 258 × 512 = 132096 个参数。每一层有 1572864 个参数,
四层一共有 6291456 个参数。
所以模型的参数总数是 22807552,按照题目的说明不计算偏置和归一化层的参数,也不计算语言模型的输出层。

# 任务 3

我们用 fairseq 对预训练模型进行微调,使用三个随机种子。对于每一个种子,我们选择验证集上准确率最高的检查点,
然后在测试集上进行评估。
从表中可以看出,预训练模型的结果比随机初始化的模型好得多,标准差也比较小。

{_NUMBERS}
测试集上的平均准确率是 79.30 %,标准差是 0.65 %。
""",
}
