"""A host in Python that is interrupted again and again while it steps an FMU.

    python interrupted.py FMU FOLDER INTERRUPTS

Each comes when the one before has reached it.  Prints how many did; fails unless every call of the FMU went well.
"""

import os
import signal
import sys
import threading
import time
from ctypes import byref, c_double
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))
from helpers_fmi import LAST_TIME, OK, Component, Unpacked

SIZE = 1e-4


def interrupt(count, ready):
    waits = Random(1)
    for _ in range(count):
        ready.wait()
        ready.clear()
        time.sleep(waits.uniform(0.0, 2e-3))
        os.kill(os.getpid(), signal.SIGINT)


def main(path, folder, count):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background may ignore interrupts
    component = Component(Unpacked(path, folder)).initialize()
    outputs, now, reached = component.fmu.outputs, c_double(), 0
    ready = threading.Event()
    thread = threading.Thread(target=interrupt, args=(int(count), ready), daemon=True)
    thread.start()
    while reached < int(count):
        try:
            ready.set()
            while True:
                assert component.call("GetRealStatus", LAST_TIME, byref(now)) == OK
                assert component.step(now.value, SIZE) == OK, component.log
                component.get(*outputs)
        except KeyboardInterrupt:
            reached += 1
    thread.join()
    component.free()
    print(reached)


if __name__ == "__main__":
    main(*sys.argv[1:])
