package tilewright.ptx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the statements of a function's body. */
final class BodyParser {
  private final TokenStream tokens;
  private final OperandParser operands;
  private final VariableParser variables;
  private final Map<String, Mnemonic> mnemonics = new HashMap<>();

  BodyParser(TokenStream tokens, OperandParser operands, VariableParser variables) {
    this.tokens = tokens;
    this.operands = operands;
    this.variables = variables;
  }

  /** A dotted name taken apart; few distinct ones make up a module. */
  private record Mnemonic(String opcode, List<String> modifiers) {
    static Mnemonic of(String name) {
      var parts = List.of(name.split("\\."));
      return new Mnemonic(parts.getFirst(), parts.subList(1, parts.size()).stream().map(String::intern).toList());
    }
  }

  /** {@code { … }}. */
  List<Statement> block(Scope scope) {
    var open = tokens.peek();
    tokens.expect("{");
    tokens.enter(open);
    var body = new ArrayList<Statement>();
    while (true) {
      for (String comment : tokens.comments()) body.add(new Statement.Comment(comment));
      if (tokens.accept("}")) break;
      statement(scope, body);
    }
    tokens.leave();
    return body;
  }

  private void statement(Scope scope, List<Statement> body) {
    var token = tokens.peek();
    switch (token.kind()) {
      case NAME -> body.add(labelOrInstruction(scope));
      case DIRECTIVE -> directive(token, scope, body);
      default -> {
        switch (token.text()) {
          case "@" -> body.add(guarded(scope));
          case "{" -> body.add(new Statement.Block(block(scope.inner())));
          case ";" -> tokens.take();
          default -> throw token.unexpected("a statement or '}'");
        }
      }
    }
  }

  private void directive(Token token, Scope scope, List<Statement> body) {
    switch (token.text()) {
      case ".reg" -> {
        var registers = variables.registers();
        registers.forEach(scope::declare);
        body.addAll(registers);
      }
      case ".loc" -> body.add(location());
      case ".pragma" -> pragmas(body);
      default -> {
        if (!variables.atSpace()) throw token.unexpected("a statement or '}'");
        body.addAll(variables.variables(Linkage.LOCAL));
      }
    }
  }

  private Statement labelOrInstruction(Scope scope) {
    var token = tokens.take();
    if (!tokens.accept(":")) return instruction(token, Optional.empty(), scope);
    if (token.text().indexOf('.') >= 0 || token.text().indexOf(':') >= 0) throw token.unexpected("a label without '.'");
    if (tokens.accept(".branchtargets")) return new Statement.BranchTargets(token.text(), names("a label"));
    if (tokens.accept(".calltargets")) return new Statement.CallTargets(token.text(), names("a function"));
    if (tokens.accept(".callprototype")) return prototype(token.text());
    return new Statement.Label(token.text());
  }

  private List<String> names(String what) {
    var names = new ArrayList<String>();
    do names.add(tokens.plainName(what)); while (tokens.accept(","));
    end("',' or ';'");
    return names;
  }

  /** After the directive; the callee's name is a placeholder. */
  private Statement prototype(String name) {
    List<Variable> results = tokens.at("(") ? variables.parameters() : List.of();
    tokens.expect("_");
    List<Variable> parameters = tokens.at("(") ? variables.parameters() : List.of();
    boolean noReturn = tokens.accept(".noreturn");
    end("'.noreturn' or ';'");
    return new Statement.CallPrototype(name, results, parameters, noReturn);
  }

  private Statement guarded(Scope scope) {
    tokens.take();
    boolean negated = tokens.accept("!");
    String predicate = tokens.plainName("a predicate");
    var name = tokens.expect(Token.Kind.NAME, "an instruction");
    return instruction(name, Optional.of(new Instruction.Guard(predicate, negated)), scope);
  }

  private Instruction instruction(Token name, Optional<Instruction.Guard> guard, Scope scope) {
    if (!Character.isLowerCase(name.text().charAt(0))) throw name.unexpected("an instruction");
    var mnemonic = mnemonics.computeIfAbsent(name.text(), Mnemonic::of);
    var list = new ArrayList<Operand>(4);
    if (!tokens.at(";")) {
      do list.add(operands.operand(scope)); while (tokens.accept(","));
    }
    end("',' or ';'");
    return new Instruction(guard, mnemonic.opcode(), mnemonic.modifiers(), list, name.line());
  }

  /** {@code .loc 1 5 3, function_name $L__info_string0, inlined_at 1 7 2}: the tail is for debuggers. */
  private Statement location() {
    tokens.take();
    int file = tokens.count("a file's index");
    int line = tokens.count("a line");
    int column = tokens.count("a column");
    while (tokens.accept(",")) {
      if (tokens.accept("function_name")) {
        tokens.plainName("a label");
        if (tokens.accept("+")) tokens.count("an offset");
      } else {
        tokens.expect("inlined_at");
        for (int i = 0; i < 3; i++) tokens.count("a file, a line and a column");
      }
    }
    return new Statement.Location(file, line, column);
  }

  private void pragmas(List<Statement> body) {
    tokens.take();
    do {
      body.add(new Statement.Pragma(tokens.expect(Token.Kind.STRING, "a string").text()));
    } while (tokens.accept(","));
    end("',' or ';'");
  }

  private void end(String expected) {
    if (!tokens.accept(";")) throw tokens.peek().unexpected(expected);
  }
}
