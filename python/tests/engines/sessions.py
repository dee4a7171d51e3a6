"""Real Spark for tests and studies: a master, two workers, and executors that are processes of their own."""

import os
import shutil
import sys
from contextlib import suppress

import psutil

# Workers run the Python of the tests, which has sibp.
os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.files.minPartitionNum": "8",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


def why_not():
    """What is missing for Spark, if anything is."""
    return None if shutil.which("java") or os.environ.get("JAVA_HOME") else "skipped: Java is not installed"


def cluster(memory=1024, **settings):
    """A session with two executors of one core each."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local-cluster[2,1,{memory}]").appName("sibp")
    for name, value in (SETTINGS | settings).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def executors():
    """Process ids of the executors that this process started, through its workers."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "CoarseGrainedExecutorBackend" in " ".join(child.cmdline()):
                found.append(child.pid)
    return found
