package tilewright.kernel;

/** A kernel: Java code that, run once, describes what every thread does. */
public interface Kernel {

  /** The entry's name in PTX: a C identifier. */
  String name();

  /** Describes the kernel: its parameters, its block, its shared memory and what a thread does. */
  void trace(Scope k);
}
