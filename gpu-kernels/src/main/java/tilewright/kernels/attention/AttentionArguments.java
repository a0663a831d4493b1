package tilewright.kernels.attention;

import java.util.List;
import java.util.Map;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.collective.attention.CaptureCheck;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.serving.Serving;

/** The launch arguments of attention kernels: Q, K, V, O, scale, and if any LSE, cuQ, cuK, sinks, factors. */
public final class AttentionArguments {
  private AttentionArguments() {}

  /** A kernel's arguments, to which it may add others. */
  public static LaunchArguments of(CompiledKernel kernel, AttentionProblem p) {
    var s = p.sizes();
    captureCheck(p).require();
    var arguments = LaunchArguments.of(kernel).scalar("scale", p.scale());
    p.modification().addTo(arguments);
    p.band().addTo(arguments);
    tensors(p).forEach(arguments::tensor);
    p.lse().ifPresent(lse -> arguments.tensor("LSE", ofRows(lse, s)));
    p.apart().ifPresent(apart -> arguments.tensor("Maxima", ofRows(apart.maxima(), s))
        .tensor("Sums", ofRows(apart.sums(), s)));
    addLengths(p, arguments);
    p.sinks().ifPresent(buffer -> arguments.tensor("sinks", new LaunchArguments.Tensor(buffer, 0,
        List.of((long) s.heads()), List.of(1L))));
    addKeys(p, arguments);
    p.serving().pages().ifPresent(pages -> {
      long each = pages.ofEntry(s.keys());
      arguments.tensor("pageTable", new LaunchArguments.Tensor(pages.table(), 0, List.of(each, (long) s.batch()),
          List.of(1L, each)));
    });
    p.serving().tokens().ifPresent(tokens -> {
      long each = s.keys();
      arguments.tensor("indices", new LaunchArguments.Tensor(tokens.indices(), 0,
          List.of(each, (long) s.queries(), (long) s.batch()), List.of(1L, each, each * s.queries())));
    });
    p.quantized().filter(of -> !of.blockScaled()).ifPresent(of -> factors(arguments, p, of));
    p.serving().codes().ifPresent(codes -> arguments.tensor("descaleK", factors(p, codes.k()))
        .tensor("descaleV", factors(p, codes.v())));
    return arguments;
  }

  /** Gives the cumulated lengths of packed sequences to a launch. */
  static void addLengths(AttentionProblem p, LaunchArguments arguments) {
    p.packed().ifPresent(packed -> arguments.tensor("cuQ", lengths(packed.queries(), packed.sequences()))
        .tensor("cuK", lengths(packed.keys(), packed.sequences())));
  }

  /** Gives the numbers of keys of batch entries, and of rows before them, to a launch. */
  public static LaunchArguments addKeys(AttentionProblem p, LaunchArguments arguments) {
    p.serving().lengths().ifPresent(buffer -> arguments.tensor("keyLengths", ofEntries(p, buffer)));
    p.serving().padding().ifPresent(buffer -> arguments.tensor("keyPadding", ofEntries(p, buffer)));
    return arguments;
  }

  private static LaunchArguments.Tensor ofEntries(AttentionProblem p, String buffer) {
    return new LaunchArguments.Tensor(buffer, 0, List.of((long) p.sizes().batch()), List.of(1L));
  }

  /** The proof that functions read captured tensors inside their extents. */
  static CaptureCheck captureCheck(AttentionProblem p) {
    var s = p.sizes();
    int batch = p.packed().map(AttentionProblem.Packed::sequences).orElse(s.batch());
    int queries = p.packed().map(AttentionProblem.Packed::longest).orElse(s.queries());
    return new CaptureCheck(p.modification(), batch, s.heads(), queries, s.keys());
  }

  private static void factors(LaunchArguments arguments, AttentionProblem p, AttentionProblem.Quantized quantized) {
    var s = p.sizes();
    arguments.tensor("descaleQ", factors(p, quantized.q(), s.queries(), s.heads()));
    arguments.tensor("descaleK", factors(p, quantized.k(), s.keys(), s.keyHeads()));
    arguments.tensor("descaleV", factors(p, quantized.v(), s.keys(), s.keyHeads()));
  }

  private static LaunchArguments.Tensor factors(AttentionProblem p, AttentionProblem.Factors factors, int rows,
      int heads) {
    long entries = p.packed().map(AttentionProblem.Packed::sequences).orElse(p.sizes().batch());
    return new LaunchArguments.Tensor(factors.buffer(), 0,
        List.of((long) factors.blocks(rows), (long) heads, entries),
        List.of(factors.block(), factors.head(), factors.batch()));
  }

  private static LaunchArguments.Tensor factors(AttentionProblem p, Serving.Factor factor) {
    boolean ofTokens = factor.ofTokens();
    return new LaunchArguments.Tensor(factor.buffer(), 0, List.of(ofTokens ? (long) rows(p) : 1,
        (long) p.sizes().keyHeads(), (long) (ofTokens ? entries(p) : p.sizes().batch())),
        List.of(ofTokens ? factor.token() : 1, factor.head(), factor.batch()));
  }

  /** Rows of a batch entry's keys, or of a page. */
  private static int rows(AttentionProblem p) {
    return p.serving().pages().map(Serving.Pages::rows).or(() -> p.serving().tokens().map(Serving.Tokens::rows))
        .orElse(p.sizes().keys());
  }

  /** Batch entries of keys, or pages. */
  private static int entries(AttentionProblem p) {
    return p.serving().pages().map(Serving.Pages::count).or(() -> p.serving().tokens().map(Serving.Tokens::count))
        .orElse(p.sizes().batch());
  }

  /** Q, K, V and O; of a cache of pages, K and V have pages in place of batch entries. */
  public static Map<String, LaunchArguments.Tensor> tensors(AttentionProblem p) {
    var s = p.sizes();
    int keys = rows(p);
    int entries = entries(p);
    return Map.of("Q", tensor(p.q(), s.queries(), s.headDim(), s.heads(), s.batch(), true),
        "K", tensor(p.k(), keys, s.headDim(), s.keyHeads(), entries, true),
        "V", tensor(p.v(), keys, s.valueDim(), s.keyHeads(), entries, false),
        "O", tensor(p.o(), s.queries(), s.valueDim(), s.heads(), s.batch(), true));
  }

  /** A number of each row. */
  public static LaunchArguments.Tensor ofRows(View view, Sizes s) {
    return new LaunchArguments.Tensor(view.buffer(), view.offset(),
        List.of((long) s.queries(), (long) s.heads(), (long) s.batch()),
        List.of(view.sequence(), view.head(), view.batch()));
  }

  private static LaunchArguments.Tensor lengths(String buffer, int sequences) {
    return new LaunchArguments.Tensor(buffer, 0, List.of(sequences + 1L), List.of(1L));
  }

  private static LaunchArguments.Tensor tensor(View view, long rows, long dim, long heads, long batch,
      boolean rowsFirst) {
    return new LaunchArguments.Tensor(view.buffer(), view.offset(),
        rowsFirst ? List.of(rows, dim, heads, batch) : List.of(dim, rows, heads, batch),
        rowsFirst ? List.of(view.sequence(), view.dim(), view.head(), view.batch())
            : List.of(view.dim(), view.sequence(), view.head(), view.batch()));
  }
}
