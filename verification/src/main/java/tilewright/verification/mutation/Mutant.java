package tilewright.verification.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * @param replacements by the number of a statement that differs, what stands in its place, if anything
 */
public record Mutant(String change, PtxModule original, Function function, Map<Integer, List<Statement>> replacements) {
  public Mutant {
    replacements = Map.copyOf(replacements);
  }

  /** The module with the change. */
  public PtxModule module() {
    var statements = function.body().orElseThrow();
    var body = new ArrayList<Statement>();
    for (int i = 0; i < statements.size(); i++) {
      body.addAll(replacements.getOrDefault(i, List.of(statements.get(i))));
    }
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
