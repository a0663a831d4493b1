package tilewright.kernel.atom;

import tilewright.kernel.Element;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;

/** One element through a register: the path for tensors whose rows begin at odd addresses. */
public record ElementCopy() implements CopyAtom {
  @Override
  public int elements() {
    return 1;
  }

  @Override
  public void copy(GlobalTensor source, I32[] coordinate, Element destination) {
    var element = source.at(coordinate);
    element.copyOrZero(destination, element.inside());
  }
}
