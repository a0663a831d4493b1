package tilewright.kernel.atom;

import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Pred;

/** How one thread moves a run of neighbours from global to shared memory. What the tensor lacks becomes zero. */
public interface CopyAtom {

  /** Elements moved at once, neighbours along the contiguous mode. */
  int elements();

  /** The copy that may be left out where the condition is false, because nobody reads the result there. */
  default CopyAtom where(Pred condition) {
    return this;
  }

  /** Moves the run that begins at a coordinate. */
  void copy(GlobalTensor source, I32[] coordinate, Element destination);
}
