"""The lab's experiments performed for real: runs of which every figure is logged, and evidence from whole runs only."""
