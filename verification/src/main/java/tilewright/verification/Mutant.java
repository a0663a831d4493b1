package tilewright.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.PtxModule;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/**
 * A kernel with one thing wrong.
 *
 * @param change what was changed, and on which instruction
 * @param original the module of the kernel as it should be
 * @param function the one of its functions that differs
 * @param at the number of the statement that differs
 * @param replacement what stands in its place, if anything
 */
public record Mutant(String change, PtxModule original, Function function, int at, List<Statement> replacement) {
  public Mutant {
    replacement = List.copyOf(replacement);
  }

  /** The module with the change. */
  public PtxModule module() {
    var body = new ArrayList<>(function.body().orElseThrow());
    body.remove(at);
    body.addAll(at, replacement);
    return replaced(original, function, function.parameters(), body);
  }

  /** A module one of whose functions has other parameters and another body. */
  static PtxModule replaced(PtxModule module, Function old, List<Variable> parameters, List<Statement> body) {
    var function = new Function(old.linkage(), old.entry(), old.results(), old.name(), parameters, old.directives(),
        Optional.of(body));
    var items = module.items().stream().map(item -> item == old ? function : item).toList();
    return new PtxModule(module.version(), module.targets(), module.addressSize(), items);
  }

  /** The change, without the module around it. */
  @Override
  public String toString() {
    return change;
  }
}
