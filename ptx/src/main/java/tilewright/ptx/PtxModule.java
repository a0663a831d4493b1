package tilewright.ptx;

import java.util.List;
import java.util.Optional;

/**
 * One PTX translation unit: the directives that head it and its items in order.
 *
 * @param version PTX ISA version, such as {@code 8.0}
 * @param targets target and its options, such as {@code sm_80} or {@code sm_90a, debug}; never empty
 * @param addressSize 32 or 64 bits
 * @param items files, variables and functions in source order
 */
public record PtxModule(String version, List<String> targets, int addressSize, List<ModuleItem> items) {
  public PtxModule {
    targets = List.copyOf(targets);
    items = List.copyOf(items);
    if (targets.isEmpty()) throw new IllegalArgumentException("a PTX module names at least one target");
    if (addressSize != 32 && addressSize != 64) {
      throw new IllegalArgumentException("invalid .address_size " + addressSize + ": 32 or 64");
    }
  }

  /** The architecture, such as {@code sm_90a}. */
  public String target() {
    return targets.getFirst();
  }

  public List<Function> functions() {
    return items.stream().filter(Function.class::isInstance).map(Function.class::cast).toList();
  }

  /** The kernel of that name, if this module defines it. */
  public Optional<Function> entry(String name) {
    return functions().stream().filter(f -> f.entry() && f.name().equals(name)).findFirst();
  }

  /** An item at the top level of a module. */
  public sealed interface ModuleItem permits SourceFile, Alias, Variable, Function {}

  /** {@code .alias name, aliasee;}: another name of a function. */
  public record Alias(String name, String aliasee) implements ModuleItem {}

  /** {@code .file 1 "NaiveGemm.java"}: a source file that {@link Statement.Location} refers to by index. */
  public record SourceFile(int index, String path) implements ModuleItem {}
}
