package tilewright.ptx;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A kernel ({@code .entry}) or a device function ({@code .func}).
 *
 * @param results return parameters of a device function; empty for a kernel
 * @param parameters in order; for a kernel, the launch arguments
 * @param directives performance directives between head and body, such as {@code .maxntid 256, 1, 1}
 * @param body empty for a declaration
 * @param line where its name was read, 0 when it was not; no part of the value
 */
public record Function(Linkage linkage, boolean entry, List<Variable> results, String name, List<Variable> parameters,
    List<Directive> directives, Optional<List<Statement>> body, int line) implements PtxModule.ModuleItem {
  public Function {
    results = List.copyOf(results);
    parameters = List.copyOf(parameters);
    directives = List.copyOf(directives);
    body = body.map(List::copyOf);
  }

  public Function(Linkage linkage, boolean entry, List<Variable> results, String name, List<Variable> parameters,
      List<Directive> directives, Optional<List<Statement>> body) {
    this(linkage, entry, results, name, parameters, directives, body, 0);
  }

  /** The values of a directive such as {@code maxntid}, if the function has it. */
  public Optional<List<Long>> directive(String name) {
    return directives.stream().filter(d -> d.name().equals(name)).map(Directive::values).findFirst();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Function f && linkage == f.linkage && entry == f.entry && results.equals(f.results)
        && name.equals(f.name) && parameters.equals(f.parameters) && directives.equals(f.directives)
        && body.equals(f.body);
  }

  @Override
  public int hashCode() {
    return Objects.hash(linkage, entry, results, name, parameters, directives, body);
  }

  /** {@code .name v0, v1, …}; {@code .noreturn} and {@code .explicitcluster} have no values. */
  public record Directive(String name, List<Long> values) {
    public Directive {
      values = List.copyOf(values);
    }
  }
}
