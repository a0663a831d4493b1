package tilewright.sm90.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import tilewright.async.atom.BulkCopy;
import tilewright.async.atom.ClusterBarrier;
import tilewright.async.collective.Pipeline;
import tilewright.async.collective.RowExchange;
import tilewright.async.collective.DynamicRowScheduler;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;

/**
 * Y (M,N) of X (M,N) row by row, for rows too long for many to be in flight: each CTA of a cluster has a slice of all
 * its rows. One warp keeps a ring of slices in shared memory filled by bulk copies; the others sum up a slice, send the
 * summary to the whole cluster and finish an earlier row, so that nothing ever waits for memory and little for others.
 */
record StreamedRows(RowOperation operation, ElementType type, int n, RowStreamConfig config) implements Kernel {
  private static final int ACCESS = 16;
  /** Registers of a thread for the vectors that all rows share: 17 warps have 96 per thread, and a slice takes 32. */
  private static final int MOST_REGISTERS = 48;

  @Override
  public String name() {
    return operation.name() + "_" + type.text() + "_streamed";
  }

  private int slice() {
    return n / config.cluster();
  }

  private int vector() {
    return ACCESS / type.bytes();
  }

  /** Accesses of a thread to a slice. */
  private int runs() {
    return slice() / (config.threads() * vector());
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(config.threads() + Warp.SIZE);
    k.blocksPerMultiprocessor(1);
    var rank = k.cluster(config.cluster());
    var x = k.global(tensor("X", "M", "N").lastingReads());
    var first = thread.equalTo(0);
    var ring = k.shared(type, Layout.of(Layout.of(slice(), 1), Layout.of(config.stages(), slice())));
    var exchange = new RowExchange(k, first, config.warps(), config.cluster(), operation.width(), config.stages());
    var tickets = new DynamicRowScheduler(k, first, x.extent(0), rank, config.cluster(), config.stages());
    var pipeline = Pipeline.together(k, config.stages(), first, config.warps(), config.cluster());
    meet(k);

    var lane = thread.modulo(Warp.SIZE);
    var warp = Shuffle.first(k, thread.dividedBy(Warp.SIZE), config.warps());
    var begin = rank.times(slice());
    k.when(warp.equalTo(config.warps()), () -> k.when(lane.equalTo(0), () -> {
      var stage = pipeline.producer();
      int bytes = slice() * type.bytes();
      tickets.drawAll((row, meanwhile) -> {
        var landed = stage.acquire(bytes);
        BulkCopy.load(k, ring.at(k.constant(0), stage.stage()), x.at(row, begin), k.constant(bytes), landed);
        meanwhile.run();
        stage.advance();
      });
    }), () -> compute(k, new Consumer(lane, warp, rank, begin, columns(k, thread)), ring, pipeline, exchange, tickets));
    if (config.cluster() > 1) ClusterBarrier.meet(k);
  }

  /** A thread that computes: its place in warp, CTA and cluster, and its columns of the slice that begins there. */
  private record Consumer(I32 lane, I32 warp, I32 rank, I32 begin, List<I32> columns) {}

  /** Sums up each row as it arrives, and finishes the one before, whose summaries have come meanwhile. */
  private void compute(Scope k, Consumer me, SharedTensor ring, Pipeline pipeline, RowExchange exchange,
      DynamicRowScheduler tickets) {
    var y = k.global(tensor("Y", "M", "N"));
    var weights = operation.vectors().stream().map(name -> weights(k.global(tensor(name, "N")), me)).toList();
    var arriving = pipeline.consumer();
    var leaving = pipeline.consumer();
    var rows = tickets.reader();
    var before = k.variable(tickets.none(), Integer.MAX_VALUE);
    int each = runs() * vector();
    k.repeatUntil(() -> {
      var row = rows.next();
      k.when(tickets.isRow(row), () -> {
        arriving.awaitFull();
        var runs = runs(ring, me.columns, arriving.stage());
        var summary = operation.summary(() -> runs.stream().flatMap(r -> r.valuesLater().stream()).toList());
        arriving.advance();
        exchange.send(me.rank, me.warp, me.lane, each, summary, operation::merge);
      });
      var finished = before.value();
      k.when(tickets.isRow(finished), () -> {
        var factors = operation.factors(n, exchange.receive(me.lane, each * Warp.SIZE, operation::merge));
        var runs = runs(ring, me.columns, leaving.stage());
        for (int i = 0; i < runs.size(); i++) {
          int run = i;
          y.at(finished, me.begin.plus(me.columns.get(i))).store(results(runs.get(i), factors,
              weights.stream().map(w -> w.get(run).get()).toList()));
        }
        // One lane speaks for all: the others must have read.
        k.emit("bar.warp.sync", new Operand.Integer(-1));
        leaving.releaseAndAdvance(me.lane);
      });
      before.set(row);
      return tickets.isRow(row).not();
    });
  }

  /** A thread's values of a vector, one for each access: in registers if there are enough, else read for every row. */
  private List<Supplier<Vector>> weights(GlobalTensor vector, Consumer me) {
    int registers = operation.vectors().size() * runs() * ACCESS / Integer.BYTES;
    return me.columns.stream().<Supplier<Vector>>map(column -> {
      Supplier<Vector> read = () -> vector.at(me.begin.plus(column)).vector(vector());
      if (registers > MOST_REGISTERS) return read;
      var values = read.get();
      return () -> values;
    }).toList();
  }

  private void meet(Scope k) {
    if (config.cluster() > 1) ClusterBarrier.meet(k);
    else k.barrier();
  }

  private List<F32> results(Vector run, List<F32> factors, List<Vector> weights) {
    var values = run.valuesLater();
    var shared = weights.stream().map(Vector::valuesLater).toList();
    var results = new ArrayList<F32>();
    for (int i = 0; i < values.size(); i++) {
      int column = i;
      results.add(operation.result(values.get(i), factors, shared.stream().map(s -> s.get(column)).toList()));
    }
    return results;
  }

  /** A thread's columns of a slice, one for each access. */
  private List<I32> columns(Scope k, I32 thread) {
    var columns = new ArrayList<I32>();
    for (int i = 0; i < runs(); i++) columns.add(thread.times(vector()).plus(i * config.threads() * vector()));
    return columns;
  }

  private List<Vector> runs(SharedTensor ring, List<I32> columns, I32 stage) {
    return columns.stream().map(c -> ring.at(c, stage).vector(vector())).toList();
  }

  private TensorSpec tensor(String name, String... modes) {
    return TensorSpec.of(name, type, modes).contiguous("N").aligned(vector()).fixed("N", n);
  }
}
