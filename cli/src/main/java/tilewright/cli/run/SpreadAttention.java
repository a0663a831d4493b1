package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.launch.Backend;
import tilewright.cli.run.AttentionFileOptions.Inputs;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.ops.AttentionOptions;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.CollectiveException;
import tilewright.ops.collectives.Communicator;
import tilewright.ops.collectives.RankThreads;
import tilewright.ops.parallel.ContextParallelAttention;
import tilewright.ops.parallel.ZigZag;

/** Attention of tensors in files over several devices, each of which has a part of the sequence. */
final class SpreadAttention {
  private final Inputs inputs;
  private final ZigZag order;
  private final AttentionOptions options;

  /** @throws CommandFailure where devices cannot share the work */
  SpreadAttention(Inputs inputs, int devices) {
    var s = inputs.sizes();
    if (s.queries() != s.keys()) {
      throw CommandFailure.badInput("--gpus cuts one sequence, but there are " + s.queries() + " queries and "
          + s.keys() + " keys");
    }
    this.inputs = inputs;
    options = options(inputs);
    try {
      order = new ZigZag(devices, s.keys());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("invalid --gpus " + devices + ": " + e.getMessage());
    }
  }

  private static AttentionOptions options(Inputs inputs) {
    var p = inputs.attention().problem();
    var all = AttentionOptions.of().scale(p.scale());
    if (p.quantized().isEmpty()) {
      var plain = Attention.forward(p.type(), p.sizes()).tensors(p.q(), p.k(), p.v(), p.o()).scale(p.scale());
      if (plain.problem().equals(p)) return all;
      if (plain.causal().problem().equals(p)) return all.causal();
    }
    throw CommandFailure.badInput("--gpus computes attention of f16 or bf16 with --causal and --scale: leave out other "
        + "options");
  }

  /**
   * Computes O in its place among the inputs' buffers.
   *
   * @return wall time in milliseconds
   */
  double run(Backend backend) {
    var devices = open(backend);
    try {
      var ranks = Communicator.among(devices);
      try {
        long begin = System.nanoTime();
        RankThreads.run(ranks, this::compute);
        return (System.nanoTime() - begin) * 1e-6;
      } finally {
        ranks.forEach(Communicator::close);
      }
    } catch (CollectiveException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    } finally {
      devices.forEach(Ops::close);
    }
  }

  private List<Ops> open(Backend backend) {
    if (backend == Backend.SIM) return Ops.simulators(order.ranks());
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) throw CommandFailure.environmentLacks(reason);
    int there = ((GpuProbe.Available) Gpu.probe()).devices().size();
    if (there < order.ranks()) {
      throw CommandFailure.environmentLacks("this machine has " + there + " GPUs, not " + order.ranks());
    }
    return IntStream.range(0, order.ranks()).mapToObj(Ops::gpu).toList();
  }

  private Optional<Void> compute(Communicator rank) {
    var p = inputs.attention().problem();
    var s = p.sizes();
    try (var q = part(rank, p.q(), s.heads(), s.headDim()); var k = part(rank, p.k(), s.keyHeads(), s.headDim());
        var v = part(rank, p.v(), s.keyHeads(), s.valueDim());
        var o = ContextParallelAttention.RING.apply(rank, q, k, v, options)) {
      write(o.bytes(), p.o(), rank.rank(), s.heads(), s.valueDim());
    }
    return Optional.empty();
  }

  /** A rank's tokens (B,S,H,D) of a tensor of the files. */
  private DeviceTensor part(Communicator rank, View view, int heads, int dim) {
    try (var arena = Arena.ofConfined()) {
      int batch = inputs.sizes().batch();
      var bytes = arena.allocate(Math.max(1, rowBytes(dim) * batch * 2 * order.chunk() * heads));
      long at = 0;
      for (long place : rows(view, rank.rank(), heads)) {
        MemorySegment.copy(inputs.buffers().get(view.buffer()), place, bytes, at, rowBytes(dim));
        at += rowBytes(dim);
      }
      return rank.ops().tensor(inputs.type(), bytes.asSlice(0, at), batch, 2L * order.chunk(), heads, dim);
    }
  }

  private void write(byte[] part, View view, int rank, int heads, int dim) {
    long at = 0;
    for (long place : rows(view, rank, heads)) {
      MemorySegment.copy(MemorySegment.ofArray(part), at, inputs.buffers().get(view.buffer()), place, rowBytes(dim));
      at += rowBytes(dim);
    }
  }

  private long rowBytes(int dim) {
    return (long) dim * inputs.type().bytes();
  }

  /** The offsets of the rows along D of a rank's tokens, in bytes. */
  private List<Long> rows(View view, int rank, int heads) {
    var rows = new ArrayList<Long>();
    for (int b = 0; b < inputs.sizes().batch(); b++) {
      for (int token : order.positions(rank)) {
        for (int h = 0; h < heads; h++) {
          rows.add(view.offset()
              + (b * view.batch() + token * view.sequence() + h * view.head()) * inputs.type().bytes());
        }
      }
    }
    return rows;
  }
}
