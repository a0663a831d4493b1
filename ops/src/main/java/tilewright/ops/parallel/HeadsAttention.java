package tilewright.ops.parallel;

import java.util.ArrayList;
import java.util.List;
import tilewright.ops.AttentionGradients;
import tilewright.ops.AttentionOptions;
import tilewright.ops.AttentionState;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.collectives.Communicator;

/** Attention of all tokens in a rank's share of the heads, which ranks exchange before and after. */
final class HeadsAttention {
  private final Sequence s;
  private final Communicator ranks;
  private final Ops ops;
  private final List<DeviceTensor> memory = new ArrayList<>();

  HeadsAttention(Sequence sequence, Communicator ranks) {
    this.s = sequence;
    this.ranks = ranks;
    this.ops = ranks.ops();
    for (var tensor : List.of(s.q(), s.k())) {
      if (tensor.size(2) % ranks.size() != 0) {
        throw new IllegalArgumentException("cannot share the heads of " + tensor + " among " + ranks.size()
            + " ranks: needed is a multiple");
      }
    }
  }

  void run(AttentionOptions options, AttentionState result) {
    // (B,H,S) as the other tensors, (B,S,H,1).
    var logarithms = result.logarithms().unsqueeze(3).transpose(1, 2);
    try (var q = whole(s.q()); var k = whole(s.k()); var v = whole(s.v()); var o = whole(result.output());
        var logs = whole(logarithms)) {
      ranks.group(() -> {
        scatter(s.q(), q);
        scatter(s.k(), k);
        scatter(s.v(), v);
      });
      ops.attention(q.view(), k.view(), v.view(), options,
          new AttentionState(o.view(), logs.view().select(3, 0).transpose(1, 2)));
      gather(o, result.output());
      gather(logs, logarithms);
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  void gradients(AttentionState forward, DeviceTensor gradient, AttentionOptions options, AttentionGradients result) {
    var logarithms = forward.logarithms().unsqueeze(3).transpose(1, 2);
    try (var q = whole(s.q()); var k = whole(s.k()); var v = whole(s.v()); var o = whole(forward.output());
        var g = whole(gradient); var logs = whole(logarithms); var dq = whole(s.q()); var dk = whole(s.k());
        var dv = whole(s.v())) {
      ranks.group(() -> {
        scatter(s.q(), q);
        scatter(s.k(), k);
        scatter(s.v(), v);
        scatter(forward.output(), o);
        scatter(gradient, g);
        scatter(logarithms, logs);
      });
      ops.attentionGradients(q.view(), k.view(), v.view(),
          new AttentionState(o.view(), logs.view().select(3, 0).transpose(1, 2)), g.view(), options,
          new AttentionGradients(dq.view(), dk.view(), dv.view()));
      gather(dq, result.q());
      gather(dk, result.k());
      gather(dv, result.v());
    } finally {
      memory.forEach(DeviceTensor::close);
    }
  }

  /** Room for all tokens of the rank's heads of a tensor. */
  private WholeSequence whole(DeviceTensor part) {
    return WholeSequence.empty(ops, s.order(), part.type(), part.size(0), part.size(2) / ranks.size(), part.size(3));
  }

  /** A chunk (S,B,H,D) of the rank's tokens, of another rank's heads. */
  private DeviceTensor chunk(DeviceTensor part, int half, int rank) {
    long heads = part.size(2) / ranks.size();
    return s.chunk(part, half).transpose(0, 1).slice(2, rank * heads, (rank + 1) * heads);
  }

  private void scatter(DeviceTensor part, WholeSequence whole) {
    for (int half = 0; half < 2; half++) {
      for (int peer = 0; peer < ranks.size(); peer++) {
        var chunk = chunk(part, half, peer);
        if (peer == s.rank()) {
          ops.copy(chunk, whole.chunk(peer, half));
          continue;
        }
        var sent = ops.contiguous(chunk);
        memory.add(sent);
        ranks.send(sent, peer);
        ranks.receive(whole.chunk(peer, half), peer);
      }
    }
  }

  /** A chunk that comes, and its place. */
  private record Coming(DeviceTensor from, DeviceTensor into) {}

  private void gather(WholeSequence whole, DeviceTensor output) {
    var coming = new ArrayList<Coming>();
    ranks.group(() -> {
      for (int half = 0; half < 2; half++) {
        for (int peer = 0; peer < ranks.size(); peer++) {
          var place = chunk(output, half, peer);
          if (peer == s.rank()) {
            ops.copy(whole.chunk(peer, half), place);
            continue;
          }
          var room = ops.empty(place.type(), place.shape());
          memory.add(room);
          coming.add(new Coming(room, place));
          ranks.send(whole.chunk(peer, half), peer);
          ranks.receive(room, peer);
        }
      }
    });
    coming.forEach(chunk -> ops.copy(chunk.from, chunk.into));
  }
}
