package tilewright.simulator.core;

import java.lang.invoke.MethodHandles;

/** Loads generated code as a hidden class beside the machine, which goes away with its kernel. */
public final class KernelClass {
  private KernelClass() {}

  public static BlockCode define(byte[] bytes) {
    try {
      var defined = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
      return (BlockCode) defined.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("generated code cannot be loaded", e);
    }
  }
}
