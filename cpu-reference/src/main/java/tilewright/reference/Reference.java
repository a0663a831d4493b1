package tilewright.reference;

import java.util.List;
import java.util.Map;

/** A kernel's reference result, computed on the CPU. */
@FunctionalInterface
public interface Reference {

  /** Computes every expected output from the contents of all tensors before the launch, in memory order. */
  List<Expected> of(Map<String, double[]> tensors);
}
