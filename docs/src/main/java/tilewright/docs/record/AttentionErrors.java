package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import tilewright.docs.source.BrokenSiteException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The errors of attention and its gradients against FP64, beside PyTorch's kernels on the same inputs, and the error of
 * e4m3 operands beside FlashAttention-3's, and with the number of keys.
 */
public final class AttentionErrors {
  private static final Map<String, String> KERNELS = Map.of("flash", "PyTorch's FlashAttention-2", "cudnn", "cuDNN",
      "sm80_attention", "SM80", "sm90_attention", "SM90", "sm80_attention_backward", "SM80",
      "sm90_attention_backward", "SM90");
  private static final List<String> ORDER = List.of("flash", "cudnn", "sm80_attention", "sm90_attention");
  private static final List<String> BACKWARD = List.of("flash", "cudnn", "sm80_attention_backward",
      "sm90_attention_backward");
  private static final List<String> GRADIENTS = List.of("dQ", "dK", "dV");
  private static final double UNIT = 1e-6;
  private static final String PAPER = "FlashAttention-3";
  private static final List<Method> METHODS = List.of(new Method("per_tensor", "per tensor", true),
      new Method("blocks", "per block", true), new Method("hadamard", "per tensor, with the transform", true),
      new Method("blocks_and_hadamard", "per block, with the transform", true),
      new Method("mxf8", "mxf8, OCP's scales", false),
      new Method("mxf8_and_hadamard", "mxf8, OCP's scales, with the transform", false),
      new Method("mxf8_covering", "mxf8, covering scales", false),
      new Method("mxf8_covering_and_hadamard", "mxf8, covering scales, with the transform", false));

  /** Sums of P·V in the record: in FP32, of all keys, and of a number of blocks that are then added to O. */
  private static final List<String> PROMOTED = List.of("fp32", "all", "8", "4", "2", "1");

  /**
   * A method of quantisation.
   *
   * @param field its name in the record
   * @param published whether the paper has its error
   */
  private record Method(String field, String text, boolean published) {}

  private AttentionErrors() {}

  public static void write(Path docs, Path generated) throws IOException {
    write(docs, "attention-error-h200.json", AttentionErrors::table, generated.resolve("attention-errors.adoc"));
    write(docs, "attention-backward-error-h200.json", AttentionErrors::gradients,
        generated.resolve("attention-backward-errors.adoc"));
    write(docs, "attention-fp8-error.json", AttentionErrors::quantized, generated.resolve("attention-fp8-errors.adoc"));
    write(docs, "attention-fp8-accumulation.json", AttentionErrors::accumulation,
        generated.resolve("attention-fp8-accumulation.adoc"));
    write(docs, "attention-fp8-kernel-h200.json", AttentionErrors::kernel,
        generated.resolve("attention-fp8-kernel.adoc"));
  }

  private static void write(Path docs, String record, Function<JsonNode, String> table, Path page) throws IOException {
    var file = docs.resolve("benchmarks/errors").resolve(record);
    try {
      Files.writeString(page, Files.exists(file)
          ? table.apply(JsonMapper.shared().readTree(Files.readString(file))) : "No run has been recorded yet.\n");
    } catch (JacksonException | IllegalArgumentException e) {
      throw new BrokenSiteException(List.of(file + ": " + e.getMessage()));
    }
  }

  /** One recorded run: a row a problem, root mean square and largest error of each kernel in millionths. */
  static String table(JsonNode run) {
    return table(run, ORDER, AttentionErrors::cell);
  }

  /** One recorded run: a row a problem, root mean square errors of each kernel's dQ, dK and dV in millionths. */
  static String gradients(JsonNode run) {
    return table(run, BACKWARD, errors -> GRADIENTS.stream().map(name -> String.format(Locale.ROOT, "%.1f",
        required(required(errors, name), "rms").asDouble() / UNIT)).collect(Collectors.joining(", ")));
  }

  /** The root mean square error of each method of quantisation in thousandths, beside the paper's. */
  static String quantized(JsonNode run) {
    var table = new StringBuilder((".%s: root mean square error of O in thousandths; D=%s S=%s, %s heads, "
        + "blocks of %s rows\n").formatted(text(run, "inputs").replace("*", "·"), text(run, "d"), text(run, "s"),
            text(run, "heads"), text(run, "block")));
    table.append("[cols=\"3,>1,>1\"]\n|===\n|Factors |Here |").append(PAPER).append("\n\n");
    for (var method : METHODS) {
      table.append("|%s |%s |%s\n".formatted(method.text, thousandths(required(run, "rms"), method),
          method.published ? thousandths(required(run, PAPER), method) : "n/a"));
    }
    return table.append("|===\n").toString();
  }

  /** The error of each arithmetic of P·V's sums in thousandths of O, by V's mean and the number of keys. */
  static String accumulation(JsonNode run) {
    var table = new StringBuilder((".%s: root mean square error of O in thousandths of O's; D=%s, %s queries, "
        + "blocks of %s keys\n").formatted(text(run, "inputs"), text(run, "d"), text(run, "queries"),
            text(run, "block")));
    table.append("[cols=\"1,>1,>1,>1,>1,>1,>1,>1\"]\n|===\n|Mean of V |Keys |FP32 |All keys");
    table.append(PROMOTED.stream().skip(2).map(n -> " |" + n + (n.equals("1") ? " block" : " blocks"))
        .collect(Collectors.joining())).append("\n\n");
    for (var row : required(run, "rows")) {
      table.append("|%s |%s".formatted(text(row, "mean"), text(row, "keys")));
      for (var sums : PROMOTED) table.append(" |").append(thousandths(required(row, "relative"), sums));
      table.append('\n');
    }
    return table.append("|===\n").toString();
  }

  /** The error of the kernel itself in thousandths, and in those of O. */
  static String kernel(JsonNode run) {
    var table = new StringBuilder("." + text(run, "on") + "\n[cols=\"3,>1,>1,4,>1,>1\"]\n|===\n"
        + "|Inputs |D |Keys |Options |Error |Of O\n\n");
    for (var row : required(run, "rows")) {
      table.append("|%s |%s |%s |`%s` |%s |%s\n".formatted(text(row, "inputs"), text(row, "d"), text(row, "keys"),
          text(row, "options"), thousandths(row, "rmse"), thousandths(row, "relative")));
    }
    return table.append("|===\n").toString();
  }

  private static String thousandths(JsonNode errors, Method method) {
    return thousandths(errors, method.field);
  }

  private static String thousandths(JsonNode errors, String field) {
    return required(errors, field).decimalValue().movePointRight(3).toPlainString();
  }

  private static String table(JsonNode run, List<String> order, Function<JsonNode, String> cell) {
    var table = new StringBuilder(".%s, PyTorch %s, cuDNN %s, commit %s\n".formatted(text(run, "gpu"),
        text(run, "torch"), text(run, "cudnn"), text(run, "commit").replaceFirst("(\\w{10})\\w*", "$1")));
    table.append("[cols=\"3,>2,>2,>2,>2\"]\n|===\n|Problem |")
        .append(order.stream().map(KERNELS::get).collect(Collectors.joining(" |"))).append("\n\n");
    for (var row : required(run, "rows")) {
      table.append("|%s d=%s S=%s H=%s%s".formatted(text(row, "dtype"), text(row, "d"), text(row, "s"),
          text(row, "heads"), required(row, "causal").asBoolean() ? " causal" : ""));
      for (var kernel : order) table.append(" |").append(cell.apply(required(required(row, "errors"), kernel)));
      table.append('\n');
    }
    return table.append("|===\n").toString();
  }

  private static String cell(JsonNode error) {
    return String.format(Locale.ROOT, "%.1f, %.0f", required(error, "rms").asDouble() / UNIT,
        required(error, "max").asDouble() / UNIT);
  }

  private static String text(JsonNode node, String field) {
    return required(node, field).asString();
  }

  private static JsonNode required(JsonNode node, String field) {
    if (node.get(field) == null) throw new IllegalArgumentException("no field '" + field + "' in " + node);
    return node.get(field);
  }
}
