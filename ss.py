ROOT = "/tmp/rv/old"
