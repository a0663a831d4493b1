package tilewright.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads operands (PTX ISA, Instruction Operands). */
final class OperandParser {
  private static final String OPERAND = "an operand";

  private final TokenStream tokens;

  OperandParser(TokenStream tokens) {
    this.tokens = tokens;
  }

  Operand operand(Scope scope) {
    var first = single(scope);
    return tokens.accept("|") ? new Operand.Pair(first, single(scope)) : first;
  }

  private Operand single(Scope scope) {
    var token = tokens.peek();
    return switch (token.kind()) {
      case NUMBER -> number();
      case NAME -> named(scope);
      case PUNCTUATION -> switch (token.text()) {
        case "-" -> negative(scope);
        case "!" -> nested(() -> new Operand.Not(single(scope)));
        case "{" -> nested(() -> new Operand.Vector(listUntil("}", scope)));
        case "(" -> nested(() -> new Operand.Group(group(scope)));
        case "[" -> nested(() -> address(scope));
        default -> throw token.unexpected(OPERAND);
      };
      default -> throw token.unexpected(OPERAND);
    };
  }

  private Operand nested(Supplier<Operand> inside) {
    tokens.enter(tokens.take());
    var operand = inside.get();
    tokens.leave();
    return operand;
  }

  private List<Operand> group(Scope scope) {
    return tokens.accept(")") ? List.of() : listUntil(")", scope);
  }

  private List<Operand> listUntil(String close, Scope scope) {
    var elements = new ArrayList<Operand>();
    do elements.add(operand(scope)); while (tokens.accept(","));
    if (!tokens.accept(close)) throw tokens.peek().unexpected("',' or '" + close + "'");
    return elements;
  }

  /** After the opening bracket. */
  private Operand address(Scope scope) {
    var token = tokens.peek();
    var base = switch (token.kind()) {
      case NAME -> reference(tokens.take(), scope);
      case NUMBER -> number();
      default -> token.is("-") ? number() : new Operand.Sink();
    };
    if (base instanceof Operand.Sink || base instanceof Operand.Float) {
      throw token.unexpected("a register, a symbol or an address");
    }
    long offset = offset();
    List<Operand> coordinates = List.of();
    if (tokens.accept(",")) coordinates = listUntil("]", scope);
    else if (!tokens.accept("]")) throw tokens.peek().unexpected("'+', ',' or ']'");
    return new Operand.Address(base, offset, coordinates);
  }

  private Operand named(Scope scope) {
    var operand = reference(tokens.take(), scope);
    boolean offset = operand instanceof Operand.Symbol && (tokens.at("+") || tokens.at("-"));
    return offset ? new Operand.Offset((Operand.Symbol) operand, offset()) : operand;
  }

  private Operand reference(Token token, Scope scope) {
    String name = token.text();
    if (name.equals("_")) return new Operand.Sink();
    if (name.equals("%") || name.indexOf(':') >= 0) throw token.unexpected(OPERAND);
    if (SpecialRegisters.contains(name)) return new Operand.Special(name);
    if (name.startsWith("%") || scope.declares(name)) return new Operand.Register(name);
    if (name.indexOf('.') >= 0) throw token.unexpected("a declared vector register before '.'");
    return new Operand.Symbol(name);
  }

  private long offset() {
    if (tokens.accept("+")) return tokens.integer("an integer offset");
    return tokens.at("-") ? tokens.integer("an integer offset") : 0;
  }

  private Operand number() {
    return tokens.accept("-") ? negativeNumber() : literal();
  }

  /** After what may be the sign of a number or of a register. */
  private Operand negative(Scope scope) {
    tokens.take();
    boolean register = tokens.peek().kind() == Token.Kind.NAME;
    return register ? new Operand.Negated(reference(tokens.take(), scope)) : negativeNumber();
  }

  private Operand literal() {
    return Literals.parse(tokens.expect(Token.Kind.NUMBER, "a number"));
  }

  private Operand negativeNumber() {
    var value = literal();
    return switch (value) {
      case Operand.Integer(long v) -> new Operand.Integer(-v);
      case Operand.Float(PtxType type, long bits) -> new Operand.Float(type, bits ^ 1L << type.bits() - 1);
      default -> value;
    };
  }

  /** One element of an initializer: {@code 1}, {@code symbol+4}, {@code generic(symbol)}, {@code 0xFF(symbol)}. */
  Operand constant() {
    var token = tokens.peek();
    if (token.is("generic")) return generic();
    if (token.kind() == Token.Kind.NAME) {
      if (token.text().startsWith("%") || token.is("_")) throw token.unexpected("a constant");
      return named(Scope.ofFunction());
    }
    if (token.kind() != Token.Kind.NUMBER && !token.is("-")) throw token.unexpected("a constant");
    var number = number();
    return number instanceof Operand.Integer(long mask) && tokens.at("(") ? masked(mask) : number;
  }

  private Operand masked(long mask) {
    tokens.take();
    var token = tokens.peek();
    if (token.kind() != Token.Kind.NAME) throw token.unexpected("a symbol");
    var address = constant();
    tokens.expect(")");
    return new Operand.Masked(mask, address);
  }

  private Operand generic() {
    tokens.take();
    tokens.expect("(");
    var symbol = new Operand.Symbol("generic(" + tokens.plainName("a symbol") + ")");
    tokens.expect(")");
    return tokens.at("+") || tokens.at("-") ? new Operand.Offset(symbol, offset()) : symbol;
  }
}
