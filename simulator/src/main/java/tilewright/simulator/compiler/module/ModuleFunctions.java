package tilewright.simulator.compiler.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.PtxModule;
import tilewright.simulator.core.AddressSpace;

/** The device functions of a module by name, and their addresses as values. */
public final class ModuleFunctions {
  private final Map<String, Function> definitions = new HashMap<>();
  private final Map<String, String> aliases = new HashMap<>();
  /** Every function that is declared; its position makes its address. */
  private final List<String> names = new ArrayList<>();

  ModuleFunctions(PtxModule module) {
    for (var item : module.items()) {
      if (item instanceof PtxModule.Alias(var name, var aliasee)) aliases.put(name, aliasee);
      if (!(item instanceof Function f) || f.entry()) continue;
      if (!names.contains(f.name())) names.add(f.name());
      if (f.body().isPresent()) definitions.putIfAbsent(f.name(), f);
    }
  }

  private String resolved(String name) {
    return aliases.getOrDefault(name, name);
  }

  /** The function of that name that has a body. */
  public Optional<Function> definition(String name) {
    return Optional.ofNullable(definitions.get(resolved(name)));
  }

  /** The address that stands for a function where its name is a value. */
  Optional<Long> address(String name) {
    int position = names.indexOf(resolved(name));
    return position < 0 ? Optional.empty() : Optional.of(AddressSpace.function(position));
  }

  /** The names, in the order of the functions' addresses. */
  public List<String> names() {
    return names;
  }
}
