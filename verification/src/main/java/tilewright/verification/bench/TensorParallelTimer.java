package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.Reduction;
import tilewright.ops.parallel.TensorParallelGemm;

/**
 * Times GEMMs whose operands are spread over all devices, overlapped with their transfers, beside the whole on one
 * device, each device's share without transfers, and NCCL's collective before or after that, in turns.
 */
final class TensorParallelTimer {
  private static final GemmOptions PLAIN = GemmOptions.of();
  private static final ElementType BF16 = ElementType.BF16;
  /** Rounds of a measurement; every other one goes backwards. */
  static final int ROUNDS = 12;
  /** Runs of a turn, and before it: the clocks are then those of this way's power. */
  static final int RUNS = 10;
  /** Rows that are compared, at the beginning, in the middle and at the end of a rank's rows. */
  private static final int COMPARED = 32;
  /** Our way among those that take turns. */
  private static final int OVERLAPPED = 2;

  private final List<Communicator> ranks;
  private final RankTimer timer;
  private final DevicePeers peers;
  private final int rounds;
  private final int runs;

  TensorParallelTimer(List<Communicator> ranks, DevicePeers peers, int rounds, int runs) {
    this.ranks = ranks;
    this.peers = peers;
    this.rounds = rounds;
    this.runs = runs;
    timer = new RankTimer(ranks);
  }

  /** Operands on one device: A (M,K) and B (K,N). */
  private record Operands(DeviceTensor a, DeviceTensor w) implements AutoCloseable {
    static Operands of(LongTensor a, LongTensor w, Ops ops) {
      return new Operands(a.whole(ops), w.whole(ops));
    }

    private static DeviceTensor matrix(DeviceTensor tensor) {
      return tensor.select(0, 0).select(1, 0);
    }

    /** The rank's rows of A and columns of B. */
    Operands rows(int rank, int size) {
      return new Operands(share(matrix(a), 0, rank, size), share(matrix(w), 0, rank, size));
    }

    /** The rank's columns of A and rows of B. */
    Operands columns(int rank, int size) {
      return new Operands(share(matrix(a), 1, rank, size), share(matrix(w), 1, rank, size));
    }

    private static DeviceTensor share(DeviceTensor matrix, int mode, int rank, int size) {
      long each = matrix.size(mode) / size;
      return matrix.ops().contiguous(matrix.slice(mode, rank * each, (rank + 1) * each));
    }

    DeviceTensor b() {
      return w.transpose(0, 1);
    }

    @Override
    public void close() {
      a.close();
      w.close();
    }
  }

  List<DeviceScaling.ProductRow> rows(DeviceScaling.Product product) {
    var rows = new ArrayList<DeviceScaling.ProductRow>();
    var gathering = new ArrayList<Operands>();
    var scattering = new ArrayList<Operands>();
    var allRows = new ArrayList<DeviceTensor>();
    try (var a = new LongTensor(product.m(), 1, product.k(), 1);
        var w = new LongTensor(product.n(), 1, product.k(), 2)) {
      for (var rank : ranks) {
        allRows.add(a.whole(rank.ops()));
        try (var whole = Operands.of(a, w, rank.ops())) {
          gathering.add(whole.rows(rank.rank(), ranks.size()));
          scattering.add(whole.columns(rank.rank(), ranks.size()));
        }
      }
      try (var whole = Operands.of(a, w, ranks.getFirst().ops()); var all = whole.rows(0, 1)) {
        rows.add(row("all_gather_gemm", product, all, new Ways(
            rank -> ranks.get(rank).ops().gemm(Operands.matrix(allRows.get(rank)), gathering.get(rank).b()),
            rank -> TensorParallelGemm.allGatherGemm(ranks.get(rank), gathering.get(rank).a, gathering.get(rank).b(),
                PLAIN), rank -> gatheredByNccl(gathering.get(rank), rank)), false));
        rows.add(row("gemm_reduce_scatter", product, all, new Ways(rank -> multiply(scattering.get(rank)),
            rank -> TensorParallelGemm.gemmReduceScatter(ranks.get(rank), scattering.get(rank).a,
                scattering.get(rank).b(), PLAIN), rank -> scatteredByNccl(scattering.get(rank), rank)), true));
      }
      return rows;
    } finally {
      gathering.forEach(Operands::close);
      scattering.forEach(Operands::close);
      allRows.forEach(DeviceTensor::close);
    }
  }

  /**
   * The results of a rank, which are closed.
   *
   * @param alone the rank's share of the product without transfers
   */
  private record Ways(IntFunction<DeviceTensor> alone, IntFunction<DeviceTensor> overlapped,
      IntFunction<DeviceTensor> byNccl) {}

  private static DeviceTensor multiply(Operands operands) {
    return operands.a.ops().gemm(operands.a, operands.b());
  }

  private DeviceTensor gatheredByNccl(Operands operands, int rank) {
    var ops = ranks.get(rank).ops();
    try (var all = ops.empty(BF16, ranks.size() * operands.a.size(0), operands.a.size(1))) {
      ranks.get(rank).allGather(operands.a, all);
      return ops.gemm(all, operands.b());
    }
  }

  private DeviceTensor scatteredByNccl(Operands operands, int rank) {
    try (var product = multiply(operands)) {
      var part = ranks.get(rank).ops().empty(BF16, product.size(0) / ranks.size(), product.size(1));
      ranks.get(rank).reduceScatter(product, part, Reduction.SUM);
      return part;
    }
  }

  private DeviceScaling.ProductRow row(String kernel, DeviceScaling.Product product, Operands whole, Ways ways,
      boolean scatters) {
    int size = ranks.size();
    var programs = List.<IntConsumer>of(_ -> multiply(whole).close(), rank -> ways.alone.apply(rank).close(),
        rank -> ways.overlapped.apply(rank).close(), rank -> ways.byNccl.apply(rank).close());
    var ms = new double[programs.size()][rounds];
    var beside = new Rounds();
    var problem = Map.<String, Object>of("op", kernel, "m", product.m(), "n", product.n(), "k", product.k());
    for (int round = 0; round < rounds; round++) {
      // Every other round begins with the peers.
      var theirs = round % 2 == 0 ? Map.<String, Double>of() : peers.turn(problem, runs, runs);
      for (int turn = 0; turn < ms.length; turn++) {
        int program = round % 2 == 0 ? turn : ms.length - 1 - turn;
        int devices = program == 0 ? 1 : size;
        timer.turn(devices, programs.get(program), runs);
        ms[program][round] = timer.turn(devices, programs.get(program), runs);
      }
      beside.add(List.of(ms[OVERLAPPED][round]), round % 2 == 0 ? peers.turn(problem, runs, runs) : theirs);
    }
    var medians = Arrays.stream(ms).mapToDouble(times -> Sample.of(times).median()).toArray();
    var ofGemm = RankTimer.ratios(ms[1], ms[2]);
    return new DeviceScaling.ProductRow(kernel,
        product.m() + "×" + product.n() + "×" + product.k() + " bf16", medians[0], medians[1], medians[2],
        medians[3], ofGemm.median(), ofGemm.spread(), RankTimer.ratios(ms[3], ms[2]).median(),
        RankTimer.ratios(ms[0], ms[2]).median(), 2.0 * product.m() * product.n() * product.k() / medians[2] * 1e-9,
        largestDifference(whole, ways, scatters, Math.sqrt(product.k())), DeviceScaling.PeerTimes.of(beside));
  }

  private double largestDifference(Operands whole, Ways ways, boolean scatters, double unit) {
    var differences = new double[ranks.size()];
    try (var expected = multiply(whole)) {
      timer.onEach(ranks.size(), rank -> {
        try (var result = ways.overlapped.apply(rank)) {
          differences[rank] = IntStream.range(0, scatters ? 1 : ranks.size()).mapToDouble(part -> {
            long rows = expected.size(0) / ranks.size();
            long columns = result.size(1);
            var theirs = expected.slice(0, (scatters ? rank : part) * rows, ((scatters ? rank : part) + 1) * rows)
                .slice(1, scatters ? 0 : rank * columns, (scatters ? 1 : rank + 1) * columns);
            return difference(theirs, result.slice(0, part * rows, (part + 1) * rows), unit);
          }).max().orElseThrow();
        }
      });
    }
    return Arrays.stream(differences).max().orElseThrow();
  }

  private static double difference(DeviceTensor expected, DeviceTensor result, double unit) {
    long rows = result.size(0);
    return IntStream.range(0, 3).mapToDouble(place -> {
      long first = place * (rows - COMPARED) / 2;
      return RankTimer.largestDifference(expected.slice(0, first, first + COMPARED).floats(),
          result.slice(0, first, first + COMPARED).floats(), unit);
    }).max().orElseThrow();
  }
}
