package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Reads PTX text (PTX ISA 9.0, Syntax and Directives) as nvcc, Triton and {@link PtxPrinter} write it.
 *
 * <p>Nothing that changes the meaning of a kernel is lost. What only debuggers and optimizers see is: debug sections,
 * what follows the column of {@code .loc}, {@code .ptr} hints of parameters, comments beside code; so is
 * {@code .attribute}, by which a driver shares variables with its host. (Without the
 * sections, an assembler refuses what is left of a module for {@code .target sm_80, debug}.) A name without {@code %}
 * is a register if it is declared before its use, else a symbol.
 */
public final class PtxParser {
  private static final Set<String> LINKAGE = Set.of(".extern", ".visible", ".weak", ".common");
  private static final Set<String> FUNCTION_DIRECTIVES = Set.of(".maxnreg", ".maxntid", ".reqntid", ".minnctapersm",
      ".maxnctapersm", ".noreturn", ".explicitcluster", ".reqnctapercluster", ".maxclusterrank", ".blocksareclusters",
      ".abi_preserve", ".abi_preserve_control");

  private final TokenStream tokens;
  private final VariableParser variables;
  private final BodyParser bodies;

  private PtxParser(String text, Runnable check) {
    tokens = new TokenStream(text, check);
    var operands = new OperandParser(tokens);
    variables = new VariableParser(tokens, operands);
    bodies = new BodyParser(tokens, operands, variables);
  }

  /**
   * The module that a text describes.
   *
   * @throws PtxSyntaxException at the first thing that is no PTX, or that the model cannot hold (texture references)
   */
  public static PtxModule parse(String text) {
    return parse(text, () -> {});
  }

  /**
   * Parses a module like {@link #parse(String)}, in work that can be ended.
   *
   * @param check called now and then: it ends the work by throwing an exception
   */
  public static PtxModule parse(String text, Runnable check) {
    return new PtxParser(text, check).module();
  }

  private PtxModule module() {
    tokens.expect(".version");
    var version = tokens.expect(Token.Kind.NUMBER, "a version such as 8.0");
    if (!version.text().matches("[0-9]{1,2}\\.[0-9]{1,2}")) throw version.unexpected("a version such as 8.0");
    tokens.expect(".target");
    var targets = new ArrayList<String>();
    do targets.add(tokens.plainName("a target such as sm_80")); while (tokens.accept(","));
    int addressSize = tokens.accept(".address_size") ? addressSize() : 32;
    var items = new ArrayList<PtxModule.ModuleItem>();
    while (!tokens.at(Token.Kind.END)) items(items);
    return new PtxModule(version.text(), targets, addressSize, items);
  }

  private int addressSize() {
    var token = tokens.peek();
    int bits = tokens.count("32 or 64");
    if (bits != 32 && bits != 64) throw token.unexpected("32 or 64");
    return bits;
  }

  private void items(List<PtxModule.ModuleItem> items) {
    if (tokens.accept(".file")) {
      items.add(file());
    } else if (tokens.accept(".alias")) {
      items.add(alias());
    } else if (tokens.accept(".section")) {
      skipSection();
    } else {
      var linkage = linkage();
      if (tokens.accept(".entry")) items.add(function(linkage, true));
      else if (tokens.accept(".func")) items.add(function(linkage, false));
      else if (variables.atSpace()) items.addAll(variables.variables(linkage));
      else throw tokens.peek().unexpected("a variable, a function or '.file'");
    }
  }

  private PtxModule.Alias alias() {
    String name = tokens.plainName("a function's name");
    tokens.expect(",");
    var alias = new PtxModule.Alias(name, tokens.plainName("a function's name"));
    tokens.expect(";");
    return alias;
  }

  private PtxModule.SourceFile file() {
    int index = tokens.count("a file's index");
    String path = tokens.expect(Token.Kind.STRING, "a path in quotes").text();
    while (tokens.accept(",")) tokens.integer("a time stamp or a size");
    return new PtxModule.SourceFile(index, path);
  }

  private void skipSection() {
    tokens.expect(Token.Kind.DIRECTIVE, "a section's name");
    tokens.expect("{");
    while (!tokens.accept("}")) {
      var token = tokens.take();
      if (token.kind() == Token.Kind.END || token.is("{")) throw token.unexpected("'}'");
    }
  }

  private Linkage linkage() {
    if (!tokens.at(Token.Kind.DIRECTIVE) || !LINKAGE.contains(tokens.peek().text())) return Linkage.LOCAL;
    return Linkage.valueOf(tokens.take().text().substring(1).toUpperCase(Locale.ROOT));
  }

  private Function function(Linkage linkage, boolean entry) {
    List<Variable> results = !entry && tokens.at("(") ? variables.parameters() : List.of();
    int line = tokens.peek().line();
    String name = tokens.plainName("a function's name");
    List<Variable> parameters = tokens.at("(") ? variables.parameters() : List.of();
    var directives = directives();
    var scope = Scope.ofFunction();
    results.forEach(v -> declareRegister(v, scope));
    parameters.forEach(v -> declareRegister(v, scope));
    if (!tokens.at("{") && !tokens.at(";")) throw tokens.peek().unexpected("a directive, '{' or ';'");
    Optional<List<Statement>> body = tokens.accept(";") ? Optional.empty() : Optional.of(bodies.block(scope));
    return new Function(linkage, entry, results, name, parameters, directives, body, line);
  }

  private static void declareRegister(Variable variable, Scope scope) {
    if (variable.space() == StateSpace.REG) scope.declare(variable.name());
  }

  private List<Function.Directive> directives() {
    var directives = new ArrayList<Function.Directive>();
    while (tokens.at(Token.Kind.DIRECTIVE)) {
      var word = tokens.take();
      if (!FUNCTION_DIRECTIVES.contains(word.text())) throw word.unexpected("a directive such as '.maxntid'");
      var values = new ArrayList<Long>();
      if (tokens.at(Token.Kind.NUMBER)) {
        do values.add(tokens.integer("a number")); while (tokens.accept(","));
      }
      directives.add(new Function.Directive(word.text().substring(1), values));
    }
    return directives;
  }
}
