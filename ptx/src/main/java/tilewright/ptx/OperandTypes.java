package tilewright.ptx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The operands that an instruction may have: how many, and of what types (PTX ISA, Operand Type Checking). A register
 * suits a type of its size that is untyped or of its kind; loads, stores and conversions take wider registers too.
 * Instructions that {@code operands.txt} beside this class does not list are checked for their number only.
 */
public final class OperandTypes {
  private static final InstructionTable COUNTS = new InstructionTable();
  private static final Map<String, List<OperandForm>> FORMS = OperandForm.all();

  private OperandTypes() {}

  /**
   * The first operand that does not suit an instruction, and what would; nothing if all do.
   *
   * @param registers the type of a declared register by its name
   */
  public static Optional<String> violation(Instruction i, Function<String, Optional<PtxType>> registers) {
    return count(i).or(() -> form(i).flatMap(form -> violation(i, form, registers)));
  }

  private static Optional<String> count(Instruction i) {
    int count = i.operands().size();
    return InstructionTable.operands(COUNTS.of(i.opcode(), i.modifiers())).filter(range -> !range.contains(count))
        .map(range -> "it has " + count + (count == 1 ? " operand" : " operands") + ", but takes " + range);
  }

  private static Optional<OperandForm> form(Instruction i) {
    OperandForm most = null;
    for (var form : FORMS.getOrDefault(i.opcode(), List.of())) {
      if ((most == null || form.words().size() > most.words().size()) && i.modifiers().containsAll(form.words())) {
        most = form;
      }
    }
    return Optional.ofNullable(most);
  }

  private static Optional<String> violation(Instruction i, OperandForm form,
      Function<String, Optional<PtxType>> registers) {
    var named = i.type().flatMap(type -> form.operands().stream().flatMap(rule -> rule.violation(type).stream())
        .findFirst());
    if (named.isPresent()) return named;
    for (int k = 0; k < Math.min(form.operands().size(), i.operands().size()); k++) {
      var operand = i.operands().get(k);
      var wrong = form.operands().get(k).violation(operand, i, registers);
      if (wrong.isPresent()) {
        return Optional.of("operand " + (k + 1) + ", " + operand.text() + ", is " + wrong.get());
      }
    }
    return Optional.empty();
  }

  /** One line of the table. */
  record OperandForm(String opcode, List<String> words, List<OperandRule> operands) {
    static Map<String, List<OperandForm>> all() {
      var forms = new HashMap<String, List<OperandForm>>();
      InstructionTable.lines("operands.txt").map(OperandForm::parse)
          .forEach(form -> forms.computeIfAbsent(form.opcode(), _ -> new ArrayList<>()).add(form));
      return forms;
    }

    private static OperandForm parse(String line) {
      var columns = List.of(line.split(" +"));
      var name = List.of(columns.getFirst().split("\\."));
      return new OperandForm(name.getFirst(), name.subList(1, name.size()),
          columns.subList(1, columns.size()).stream().map(OperandRule::parse).toList());
    }
  }
}
