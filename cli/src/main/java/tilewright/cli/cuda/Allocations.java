package tilewright.cli.cuda;

/** The allocations of a program, by their addresses. */
interface Allocations {
  /** Whether an address lies in an allocation. */
  boolean isLive(long address);

  /** The first address of the allocation that an address lies in. */
  long base(long address);

  /** The name of the allocation at an address. */
  String name(long base);
}
