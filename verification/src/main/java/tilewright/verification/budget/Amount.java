package tilewright.verification.budget;

import java.util.Optional;

/** A quantity counted in a kernel's execution, and the unit that it occupies. */
public enum Amount {
  /** Operations of tensor cores, each as many as 16-bit ones take the same time. */
  TENSOR_OPERATIONS("tensor operations, in those of 16 bits", Unit.TENSOR),
  /** Results of {@code ex2}, {@code rcp}, {@code lg2} and their like. */
  EXPONENTIALS("exponentials and their like", Unit.EXPONENT),
  FMA("additions, multiplications and both in one", Unit.FMA),
  /** Comparisons, maxima, conversions, integers. */
  INTEGER("comparisons, conversions, integers", Unit.INTEGER),
  /** Warp instructions but moves, which the assembler mostly removes. */
  INSTRUCTIONS("warp instructions", Unit.ISSUE),
  /** Bytes that tensor cores read from shared memory. */
  OPERAND_BYTES("bytes of operands from shared memory", Unit.SHARED),
  /** Bytes that bulk copies write to shared memory, and read from it. */
  COPIED_BYTES("bytes copied to and from shared memory", Unit.COPY),
  /** Bytes of threads, 128 for each turn that an access or a shuffle takes. */
  THREAD_BYTES("bytes of threads in shared memory", Unit.SHARED),
  TENSOR_MEMORY_READ("bytes read from Tensor Memory", Unit.TENSOR_MEMORY),
  TENSOR_MEMORY_WRITTEN("bytes written to Tensor Memory", Unit.TENSOR_MEMORY),
  GLOBAL_BYTES("bytes to and from L2", Unit.L2),
  /** Arrivals at mbarriers by threads and by tensor cores. */
  SIGNALS("signals"),
  /** Waits for mbarriers and for warps. */
  WAITS("waits");

  private final String text;
  private final Optional<Unit> unit;

  Amount(String text, Unit unit) {
    this.text = text;
    this.unit = Optional.of(unit);
  }

  Amount(String text) {
    this.text = text;
    unit = Optional.empty();
  }

  /** The unit that it occupies, if any. */
  public Optional<Unit> unit() {
    return unit;
  }

  @Override
  public String toString() {
    return text;
  }
}
