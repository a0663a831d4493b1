package tilewright.ptx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The requirements of instructions, special registers and directives, read from {@code instructions.txt} here. */
final class InstructionTable {
  private final Map<String, List<Form>> forms = new HashMap<>();

  InstructionTable() {
    lines("instructions.txt").map(Form::parse)
        .forEach(form -> forms.computeIfAbsent(form.opcode(), _ -> new ArrayList<>()).add(form));
  }

  /**
   * One line of the table.
   *
   * @param words modifiers that an instruction of this form has, in any order
   * @param operands the allowed counts, if the table knows them
   * @param version the oldest {@code .version}, such as {@code 8.0}
   * @param targets alternatives as {@link Target#meets} reads them
   */
  record Form(String opcode, List<String> words, Optional<Range> operands, Optional<String> version,
      Optional<String> targets) {

    static Form parse(String line) {
      var columns = line.split(" +");
      // a directive's own dot separates nothing
      var words = List.of((columns[0].startsWith(".") ? columns[0].substring(1) : columns[0]).split("\\."));
      String opcode = columns[0].startsWith(".") ? columns[0] : words.getFirst();
      return new Form(opcode, words.subList(1, words.size()), rule(columns[1]).map(Range::parse), rule(columns[2]),
          rule(columns[3]));
    }

    private static Optional<String> rule(String column) {
      return Optional.of(column).filter(text -> !text.equals("-"));
    }
  }

  /** Counts of operands, both ends included. */
  record Range(int least, int most) {
    static Range parse(String text) {
      var ends = text.split("-");
      return new Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
    }

    boolean contains(int count) {
      return least <= count && count <= most;
    }

    @Override
    public String toString() {
      return least == most ? String.valueOf(least) : least + " to " + most;
    }
  }

  boolean knows(String opcode) {
    return forms.containsKey(opcode);
  }

  /** All forms that an instruction has; it must meet the needs of each. */
  List<Form> of(String opcode, Collection<String> modifiers) {
    return Stream.of(opcode, "*").flatMap(key -> forms.getOrDefault(key, List.of()).stream())
        .filter(form -> modifiers.containsAll(form.words())).toList();
  }

  /** The counts of operands that the most specific of these forms allows. */
  static Optional<Range> operands(List<Form> forms) {
    return forms.stream().max(Comparator.comparingInt(form -> form.words().size())).flatMap(Form::operands);
  }

  /** The lines of a table beside this class, without comments. */
  static Stream<String> lines(String table) {
    try (var in = InstructionTable.class.getResourceAsStream(table)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
