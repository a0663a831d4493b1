package tilewright.kernel.atom;

import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;

/** How one thread moves a run of neighbours from global to shared memory. What the tensor lacks becomes zero. */
public interface CopyAtom {

  /** Elements moved at once, neighbours along the contiguous mode. */
  int elements();

  /** Moves the run that begins at a coordinate. */
  void copy(GlobalTensor source, I32[] coordinate, Element destination);
}
