package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The package's data: for each GPU the launches of its operators and the choice among them. */
final class PackageData {
  /** Compute capabilities, times ten, that choices are made for. */
  static final List<Integer> CAPABILITIES = List.of(80, 86, 90, 100);

  private PackageData() {}

  /** All operators. */
  static List<PackagedOperator> operators() {
    return operators(RowOperator.COMMON, TracedFunctions.READY_MADE, FlexOperator.COMMON);
  }

  /**
   * All operators.
   *
   * @param rowLengths of the kernels on rows
   * @param forms of the functions of FlexAttention
   * @param flexDims head dimensions of its kernels
   */
  static List<PackagedOperator> operators(List<Long> rowLengths, List<TracedFunctions> forms, List<Long> flexDims) {
    return Stream.of(Stream.of(new AttentionForward(), new AttentionGradients(), new GemmOperator(),
        new ScaledGemmOperator(), new GroupedGemmOperator(), new QuantizeOperator(), new RopeOperator(),
        new EmbeddingOperator(rowLengths), new CachedAttention(true), new CachedAttention(false), new AppendOperator(),
        new MergeOperator()), RowOperator.all(rowLengths), FlexOperator.both(forms, flexDims))
        .flatMap(operators -> operators).toList();
  }

  /** A case of an operator by name. */
  record Named(String operator, OperatorCase problems) {}

  /** The cases of operators on a GPU. */
  static List<Named> cases(List<PackagedOperator> operators, int capability) {
    return operators.stream().flatMap(operator -> operator.cases(capability)
        .map(problems -> new Named(operator.name(), problems))).toList();
  }

  /**
   * The data of a GPU in JSON.
   *
   * @param progress is told each case before it is begun
   */
  static Map<String, Object> of(List<Named> cases, PackagedKernels kernels, Consumer<String> progress) {
    var operators = new TreeMap<String, Map<String, Object>>();
    for (var named : cases) {
      progress.accept(named.operator + " " + named.problems.key());
      operators.computeIfAbsent(named.operator, _ -> new TreeMap<>())
          .put(named.problems.key(), OperatorData.of(named.problems, kernels));
    }
    return new TreeMap<>(operators);
  }
}
