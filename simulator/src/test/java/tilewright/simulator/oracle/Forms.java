package tilewright.simulator.oracle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Instruction forms from resources, by the least target: each is applied to the operands of {@link OperandValues}. */
final class Forms {
  private static final List<String> OPERANDS = List.of("$a", "$b", "$c");
  private static final Pattern LINE = Pattern.compile("(\\w+)\\(([\\w,]+)\\): (.*)");
  private static final Pattern CHOICE = Pattern.compile("\\{([^{}]*)}");

  /** One instruction form; the text names {@code $d} and the operands {@code $a}, {@code $b}, {@code $c}. */
  record Form(OperandType result, List<OperandType> operands, String text) {
    private String name() {
      return text.substring(0, text.indexOf(' '));
    }

    String opcode() {
      return List.of(name().split("\\.")).getFirst();
    }

    List<String> modifiers() {
      var parts = List.of(name().split("\\."));
      return parts.subList(1, parts.size());
    }

    /** The operands with the text's own constants between them. */
    long[] complete(long[] operands) {
      var named = List.of(text.substring(text.indexOf(' ')).split(";")[0].replace(" ", "").split(","));
      return named.stream().skip(1).mapToLong(word -> word.startsWith("$") ? operands[word.charAt(1) - 'a']
          : Long.decode(word)).toArray();
    }
  }

  private Forms() {}

  static List<Form> all() {
    return Stream.concat(recorded().stream(), of("forms.sm_100").stream()).toList();
  }

  /** Those whose results on an H200 are recorded. */
  static List<Form> recorded() {
    return Stream.of("forms", "forms.sm_90").flatMap(name -> of(name).stream()).toList();
  }

  /** The forms of one resource. */
  static List<Form> of(String name) {
    try (var in = Forms.class.getResourceAsStream(name + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#")).flatMap(Forms::forms).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Form> forms(String line) {
    var match = LINE.matcher(line);
    if (!match.matches()) throw new IllegalArgumentException("not a form: " + line);
    var operands = Stream.of(match.group(2).split(",")).map(OperandType::of).toList();
    var names = OPERANDS.subList(0, operands.size());
    return choices(match.group(3)).map(text -> new Form(OperandType.of(match.group(1)), operands,
        text.contains("$") ? text : text + " $d, " + String.join(", ", names)));
  }

  private static Stream<String> choices(String text) {
    var match = CHOICE.matcher(text);
    if (!match.find()) return Stream.of(text);
    return Stream.of(match.group(1).split(",", -1))
        .flatMap(choice -> choices(text.substring(0, match.start()) + choice + text.substring(match.end())));
  }

  /**
   * A kernel {@code k(in, out)} for {@value OperandValues#COUNT} threads: {@code in} is {@link OperandValues#bytes()},
   * {@code out} gets 8 bytes a form and thread, one form after the other.
   */
  static String ptx(String target, List<Form> forms) {
    var body = new ArrayList<String>();
    for (int i = 0; i < forms.size(); i++) body.add(code(forms.get(i), (long) i * OperandValues.COUNT * 8));
    return """
        .version 8.8
        .target %s
        .address_size 64
        .visible .entry k(.param .u64 in, .param .u64 out)
        {
          .reg .b64 %%in, %%out, %%at;
          .reg .b32 %%t, %%n, %%c;
          ld.param.u64 %%in, [in];
          ld.param.u64 %%out, [out];
          mov.u32 %%t, %%tid.x;
          mov.u32 %%n, %%ntid.x;
          mov.u32 %%c, %%ctaid.x;
          mad.lo.u32 %%t, %%c, %%n, %%t;
          mul.wide.u32 %%at, %%t, 8;
          add.s64 %%in, %%in, %%at;
          add.s64 %%out, %%out, %%at;
        %s  ret;
        }
        """.formatted(target, String.join("", body));
  }

  private static String code(Form form, long offset) {
    var text = new StringBuilder("  { .reg .pred p; .reg .b64 z; .reg .b" + form.result().bits + " d;\n");
    var instruction = form.text().replace("$d", "d");
    for (int i = 0; i < form.operands().size(); i++) {
      var name = "abc".substring(i, i + 1);
      var type = form.operands().get(i);
      text.append("    .reg .b%d %s; ld.global.b%d %s, [%%in+%d];\n"
          .formatted(type.bits, name, type.bits, name, OperandValues.offset(type, i)));
      instruction = instruction.replace("$" + name, name);
    }
    text.append("    ").append(instruction).append(";\n    ");
    text.append(form.result().bits == 64 ? "mov.b64 z, d;" : "cvt.u64.u%d z, d;".formatted(form.result().bits));
    return text.append(" st.global.b64 [%out+").append(offset).append("], z; }\n").toString();
  }
}
