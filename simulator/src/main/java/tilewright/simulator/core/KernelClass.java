package tilewright.simulator.core;

import java.lang.invoke.MethodHandles;
import java.util.List;

/** Loads generated code as a hidden class beside the machine, which goes away with its kernel. */
public final class KernelClass {
  private KernelClass() {}

  /** The code of all classes, each of which has {@code blocks} basic blocks, the last perhaps fewer. */
  public static BlockCode define(List<byte[]> classes, int blocks) {
    if (classes.size() == 1) return define(classes.getFirst());
    var parts = classes.stream().map(KernelClass::define).toArray(BlockCode[]::new);
    return (block, warp, mask) -> parts[block / blocks].execute(block, warp, mask);
  }

  private static BlockCode define(byte[] bytes) {
    try {
      var defined = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
      return (BlockCode) defined.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("generated code cannot be loaded", e);
    }
  }
}
