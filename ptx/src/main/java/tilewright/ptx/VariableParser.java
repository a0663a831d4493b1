package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads declarations of variables, parameters and registers (PTX ISA, State Spaces, Types and Variables). */
final class VariableParser {
  private static final Set<String> POINTER_SPACES = Set.of(".const", ".global", ".local", ".shared", ".generic");
  private static final Set<String> SPACES = Set.of(".reg", ".const", ".global", ".local", ".param", ".shared");

  private static final long MAX_FILL = 1 << 20;

  private final TokenStream tokens;
  private final OperandParser operands;

  VariableParser(TokenStream tokens, OperandParser operands) {
    this.tokens = tokens;
    this.operands = operands;
  }

  /** The part of a declaration before its names. */
  private record Head(StateSpace space, int alignment, int vector, PtxType type) {}

  boolean atSpace() {
    return tokens.at(Token.Kind.DIRECTIVE) && SPACES.contains(tokens.peek().text());
  }

  /** {@code .shared .align 16 .b8 a[64], b;} with its semicolon. */
  List<Variable> variables(Linkage linkage) {
    var start = tokens.peek();
    var head = head();
    if (head.space() == StateSpace.REG) throw start.unexpected("a variable in memory: registers belong into functions");
    var variables = new ArrayList<Variable>();
    do variables.add(variable(linkage, head)); while (tokens.accept(","));
    end();
    return variables;
  }

  /** {@code .reg .b32 %r<10>, %x;} with its semicolon. */
  List<Statement.Registers> registers() {
    var head = head();
    var registers = new ArrayList<Statement.Registers>();
    do {
      String name = tokens.plainName("a register");
      int count = tokens.accept("<") ? range() : 0;
      registers.add(new Statement.Registers(head.type(), head.vector(), name, count));
    } while (tokens.accept(","));
    end();
    return registers;
  }

  private int range() {
    var token = tokens.peek();
    int count = tokens.count("a count of registers");
    if (count == 0) throw token.unexpected("at least one register");
    tokens.expect(">");
    return count;
  }

  /** {@code (.param .u64 a, .param .u32 b)}. */
  List<Variable> parameters() {
    tokens.expect("(");
    if (tokens.accept(")")) return List.of();
    var parameters = new ArrayList<Variable>();
    do parameters.add(variable(Linkage.LOCAL, parameterHead())); while (tokens.accept(","));
    if (!tokens.accept(")")) throw tokens.peek().unexpected("',' or ')'");
    return parameters;
  }

  private Head parameterHead() {
    var token = tokens.peek();
    var head = head();
    if (head.space() != StateSpace.PARAM && head.space() != StateSpace.REG) throw token.unexpected("'.param'");
    return head;
  }

  private Head head() {
    var token = tokens.peek();
    if (!atSpace()) throw token.unexpected("a state space such as '.global'");
    var space = StateSpace.valueOf(tokens.take().text().substring(1).toUpperCase(Locale.ROOT));
    int alignment = 0;
    int vector = 1;
    Optional<PtxType> type = Optional.empty();
    while (type.isEmpty()) {
      var word = tokens.expect(Token.Kind.DIRECTIVE, "a type such as '.b32'");
      switch (word.text()) {
        case ".align" -> alignment = alignment();
        case ".attribute" -> skipAttributes();
        case ".v2", ".v4" -> vector = word.text().charAt(2) - '0';
        default -> type = Optional.of(type(word));
      }
    }
    skipPointerHints();
    return new Head(space, alignment, vector, type.get());
  }

  /** {@code .attribute(.managed)} and the like: for a driver that shares the variable with its host. */
  private void skipAttributes() {
    tokens.expect("(");
    for (int open = 1; open > 0;) {
      var token = tokens.take();
      if (token.kind() == Token.Kind.END || token.is(";")) throw token.unexpected("')'");
      if (token.is("(")) open++;
      if (token.is(")")) open--;
    }
  }

  private static PtxType type(Token word) {
    return PtxType.parse(word.text().substring(1)).orElseThrow(() -> word.unexpected("a type such as '.b32'"));
  }

  private int alignment() {
    var token = tokens.peek();
    int bytes = tokens.count("an alignment");
    if (Integer.bitCount(bytes) != 1) throw token.unexpected("an alignment that is a power of two");
    return bytes;
  }

  /** {@code .ptr .global .align 16} tells the optimizer what a parameter points to; it changes no meaning. */
  private void skipPointerHints() {
    if (!tokens.accept(".ptr")) return;
    if (POINTER_SPACES.contains(tokens.peek().text())) tokens.take();
    if (tokens.accept(".align")) alignment();
  }

  private Variable variable(Linkage linkage, Head head) {
    var token = tokens.peek();
    String name = tokens.plainName("a variable's name");
    var dimensions = dimensions();
    if (Variable.elements(head.type(), head.vector(), dimensions).isEmpty()) {
      throw token.unexpected("a variable of at most " + Variable.MOST_BYTES + " bytes");
    }
    List<Operand> initializer = tokens.accept("=") ? initializer(head, dimensions) : List.of();
    return new Variable(linkage, head.space(), head.alignment(), head.vector(), head.type(), name, dimensions,
        initializer, token.line());
  }

  private List<Long> dimensions() {
    var dimensions = new ArrayList<Long>();
    while (tokens.accept("[")) {
      if (tokens.at("]") && dimensions.isEmpty()) {
        dimensions.add(0L);
      } else {
        var token = tokens.peek();
        long extent = tokens.integer("an array's extent");
        if (extent < 1) throw token.unexpected("an array's extent of at least 1");
        dimensions.add(extent);
      }
      tokens.expect("]");
    }
    return dimensions;
  }

  private List<Operand> initializer(Head head, List<Long> dimensions) {
    if (!tokens.at("{")) return List.of(operands.constant());
    var elements = new ArrayList<Operand>();
    var shape = new ArrayList<>(dimensions);
    if (head.vector() > 1) shape.add((long) head.vector());
    braces(elements, shape);
    return elements;
  }

  private void braces(List<Operand> elements, List<Long> shape) {
    tokens.enter(tokens.peek());
    tokens.expect("{");
    var inner = shape.isEmpty() ? shape : shape.subList(1, shape.size());
    if (!tokens.at("}")) {
      do {
        if (tokens.at("{")) row(elements, inner);
        else elements.add(operands.constant());
      } while (tokens.accept(","));
    }
    if (!tokens.accept("}")) throw tokens.peek().unexpected("',' or '}'");
    tokens.leave();
  }

  /** One nested brace; elements that it leaves out are zero. */
  private void row(List<Operand> elements, List<Long> shape) {
    var open = tokens.peek();
    int start = elements.size();
    braces(elements, shape);
    long extent = shape.stream().reduce(1L, (a, b) -> Math.min(MAX_FILL + 1, a * Math.min(b, MAX_FILL + 1)));
    if (start + extent > MAX_FILL) throw open.unexpected("nested rows of at most " + MAX_FILL + " elements");
    while (elements.size() - start < extent) elements.add(new Operand.Integer(0));
  }

  private void end() {
    if (!tokens.accept(";")) throw tokens.peek().unexpected("',' or ';'");
  }
}
