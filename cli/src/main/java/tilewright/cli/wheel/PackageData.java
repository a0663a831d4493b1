package tilewright.cli.wheel;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinTask;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;

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
        new MergeOperator(), new CodesAttention(), new LatentSchedule(), new LatentDecode()),
        RowOperator.all(rowLengths), FlexOperator.both(forms, flexDims))
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
   * The data of a GPU in JSON. Cases are found side by side, and their kernels are numbered in order after that.
   *
   * @param progress is told each case when it is begun
   */
  static Map<String, Object> of(List<Named> cases, PackagedKernels kernels, Consumer<String> progress) {
    var traces = new CompiledKernel.Traces();
    // A task for each case: a parallel stream gives neighbours to one thread, and some operators take long.
    var tasks = cases.stream().map(named -> ForkJoinTask.adapt(() -> CompiledKernel.sharingTraces(traces, () -> {
      progress.accept(named.operator + " " + named.problems.key());
      return OperatorData.of(named.problems);
    }))).toList();
    var found = ForkJoinTask.invokeAll(tasks).stream().map(ForkJoinTask::join).toList();
    var operators = new TreeMap<String, Map<String, Object>>();
    for (int i = 0; i < found.size(); i++) {
      operators.computeIfAbsent(cases.get(i).operator, _ -> new TreeMap<>())
          .put(cases.get(i).problems.key(), kernels.numbered(found.get(i)));
    }
    return new TreeMap<>(operators);
  }
}
