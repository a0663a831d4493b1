package tilewright.cli.wheel;

import java.util.stream.Stream;

/** An operator of the Python package. */
interface PackagedOperator {
  /** The name in the package's data, such as {@code attention_forward}. */
  String name();

  /**
   * The problems that the package has kernels for.
   *
   * @param capability the GPU's compute capability times ten
   */
  Stream<OperatorCase> cases(int capability);
}
