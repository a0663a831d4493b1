package tilewright.layout.expression;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** One of CuTe's operations as the language calls it. */
public final class Operation {
  private static final String REST = "…";

  private final String name;
  private final List<String> operands;
  private final String description;
  private final Function<Operands, Value> rule;

  /**
   * @param operands names of the operands, separated by commas; optional ones in brackets; {@code …} after the last one
   *     for any number of further ones
   */
  Operation(String name, String operands, String description, Function<Operands, Value> rule) {
    this.name = name;
    this.operands = Arrays.stream(operands.split(",")).map(String::strip).toList();
    this.description = description;
    this.rule = rule;
  }

  public String name() {
    return name;
  }

  /** One line. */
  public String description() {
    return description;
  }

  /** How it is called, such as {@code complement(layout, [bound])}. */
  public String signature() {
    return name + "(" + String.join(", ", operands) + ")";
  }

  /** The name of an operand, for messages. */
  String operand(int index) {
    return operands.get(Math.min(index, operands.size() - 1)).replaceAll("[\\[\\]…]", "");
  }

  boolean takes(int count) {
    long needed = operands.stream().filter(operand -> !operand.startsWith("[")).count();
    return count >= needed && (count <= operands.size() || operands.getLast().contains(REST));
  }

  Value apply(Operands values) {
    return rule.apply(values);
  }
}
