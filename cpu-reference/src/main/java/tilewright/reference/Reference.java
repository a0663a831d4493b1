package tilewright.reference;

import java.util.List;
import java.util.Map;

/** What a kernel should compute, on the CPU. */
@FunctionalInterface
public interface Reference {

  /** What is expected of every output, from the numbers in all tensors before the launch, in memory order. */
  List<Expected> of(Map<String, double[]> tensors);
}
