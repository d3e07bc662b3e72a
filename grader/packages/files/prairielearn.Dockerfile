# docker build -t REGISTRY/lab-grader . && docker push REGISTRY/lab-grader
FROM python:3.12-slim
COPY @WHEEL@ /tmp/
RUN pip install --no-cache-dir /tmp/@WHEEL@ && rm /tmp/@WHEEL@
COPY grade-upload /usr/local/bin/grade-upload
RUN chmod 755 /usr/local/bin/grade-upload
ENTRYPOINT ["/usr/local/bin/grade-upload"]
