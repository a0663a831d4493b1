package tilewright.ops;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.appending.CacheAppend;
import tilewright.kernels.attention.appending.NewTokens;
import tilewright.kernels.attention.merging.MergedState;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.attention.serving.Serving;
import tilewright.numerics.ElementType;
import tilewright.reference.Rotation;

/**
 * Attention on caches of keys and values, their filling, and merging: what a server of language models needs. Hopper
 * and the simulator compute attention on caches; every GPU fills them and merges.
 */
public final class CacheOperators {
  private static final int MODES = 4;
  private static final String LENGTHS = "lengths";
  private static final String TABLE = "table";

  private final Ops ops;
  private final Machine machine;
  private final AttentionOperator attention;

  CacheOperators(Ops ops, Machine machine, AttentionOperator attention) {
    this.ops = ops;
    this.machine = machine;
    this.attention = attention;
  }

  /**
   * softmax(scale · Q·Kᵀ)·V of Q (B,Sq,H,D) on the rows of a cache that are in use. The last query is aligned with the
   * last key; a query without keys has the output 0.
   *
   * @return output and logarithms, which the caller closes
   */
  public AttentionState attention(DeviceTensor q, KeyValueCache cache, AttentionOptions options) {
    requireTokens("q", q, cache);
    var s = sizes(q, cache, Math.toIntExact(cache.keys().size(2)));
    var state = new AttentionState(ops.empty(q.type(), s.batch(), s.queries(), s.heads(), s.valueDim()),
        ops.empty(ElementType.F32, s.batch(), s.heads(), s.queries()));
    if (state.output().elements() == 0) return state;
    return computed(state, () -> {
      try (var rows = Held.neighbours(q); var lengths = Held.begun(cache.lengths());
          var table = cache.table().map(Held::begun).orElse(lengths)) {
        var call = call("cached_attention", cache, lengths, table).with("Q", rows.tensor()).with("O", state.output())
            .with("LSE", state.logarithms());
        call.run(options, () -> attention.prepare(Attention.of(problem(s, call, cache, call.view("Q"))
            .withLogarithms(Optional.of(logarithms(s)))), options));
      }
    });
  }

  /**
   * Writes new keys K (B,S,Hk,D) and values V (B,S,Hk,Dv) into a cache, whose lengths count them: the last key of an
   * entry is that of its last token.
   */
  public void append(KeyValueCache cache, DeviceTensor k, DeviceTensor v) {
    append(cache, Optional.empty(), k, v, NewTokens.Rotary.NONE, Optional.empty()).ifPresent(DeviceTensor::close);
  }

  /**
   * Like {@link #append(KeyValueCache, DeviceTensor, DeviceTensor)}, with the first columns of keys, and of queries
   * (B,S,H,D), turned by the angles of their tokens' positions.
   *
   * @param rotation which columns make pairs
   * @param tables a row for each position, and two columns of a head for each of theirs
   * @return the turned queries
   */
  public DeviceTensor append(KeyValueCache cache, DeviceTensor q, DeviceTensor k, DeviceTensor v, Rotation rotation,
      RopeTables tables) {
    if (tables.cos().rank() != 2 || tables.cos().size(0) < cache.room()) {
      throw new IllegalArgumentException("tables " + tables.cos() + " of a cache of " + cache.room()
          + " rows: needed is a row for each");
    }
    int columns = Math.toIntExact(2 * tables.cos().size(1));
    return append(cache, Optional.of(q), k, v,
        new NewTokens.Rotary(rotation, columns, Math.toIntExact(tables.cos().size(0))), Optional.of(tables))
        .orElseThrow();
  }

  private Optional<DeviceTensor> append(KeyValueCache cache, Optional<DeviceTensor> q, DeviceTensor k, DeviceTensor v,
      NewTokens.Rotary rotary, Optional<RopeTables> tables) {
    requireTokens("k", k, cache);
    q.ifPresent(given -> requireTokens("q", given, cache));
    ops.memory().requireWritable(cache.keys());
    ops.memory().requireWritable(cache.values());
    var like = q.orElse(k);
    if (k.size(2) != cache.keys().size(2) || v.rank() != MODES || v.type() != k.type() || v.size(0) != k.size(0)
        || v.size(1) != k.size(1) || v.size(2) != k.size(2) || v.size(3) != cache.values().size(3)
        || like.size(1) != k.size(1)) {
      throw new IllegalArgumentException(like + ", " + k + " and " + v + " do not fit a cache of " + cache.keys()
          + ": needed are (B,S,H,D), (B,S,Hk,D) and (B,S,Hk,Dv)");
    }
    var s = sizes(like, cache, Math.toIntExact(k.size(2)));
    var turned = q.map(given -> ops.empty(given.type(), given.shape()));
    if (k.elements() == 0) return turned;
    try (var newQ = Held.aligned(like); var newK = Held.aligned(k); var newV = Held.aligned(v);
        var lengths = Held.begun(cache.lengths()); var table = cache.table().map(Held::begun).orElse(lengths);
        var cos = tables.map(t -> Held.begun(t.cos())).orElse(lengths);
        var sin = tables.map(t -> Held.begun(t.sin())).orElse(lengths)) {
      var call = call("append_cache", cache, lengths, table).with("newQ", newQ.tensor()).with("newK", newK.tensor())
          .with("newV", newV.tensor()).with("Q", turned.orElse(like)).with("C", cos.tensor()).with("T", sin.tensor());
      var target = machine.preference(Target.SM90A) > machine.preference(Target.SM80) ? Target.SM90A : Target.SM80;
      call.run(rotary, () -> Plan.of(CacheAppend.prepare(problem(s, call, cache, call.view("Q")),
          new NewTokens(q.map(_ -> call.view("newQ")), call.view("newK"), call.view("newV"), rotary), target)));
      return turned;
    } catch (RuntimeException e) {
      turned.ifPresent(DeviceTensor::close);
      throw e;
    }
  }

  /**
   * Attention on all keys from that on several parts of them, such as a shared prefix and each sequence's own keys.
   *
   * @param states (N,B,Sq,H,D) with logarithms (N,B,H,Sq)
   * @return output and logarithms, which the caller closes
   */
  public AttentionState merge(AttentionState states) {
    requireStates(states);
    var o = states.output();
    var merged = new AttentionState(ops.empty(o.type(), o.size(1), o.size(2), o.size(3), o.size(4)),
        ops.empty(ElementType.F32, o.size(1), o.size(3), o.size(2)));
    return computed(merged, () -> merge(states, merged.output(), Optional.of(merged.logarithms())));
  }

  /** Merges into a tensor (B,Sq,H,D) of the states' type, such as a part of a larger one. */
  public void merge(AttentionState states, DeviceTensor into) {
    requireMerged(states, into);
    merge(states, into, Optional.empty());
  }

  /** Merges into a state of the states' type, such as a part of a larger one. */
  public void merge(AttentionState states, AttentionState into) {
    requireMerged(states, into.output());
    ops.memory().requireWritable(into.logarithms());
    var o = states.output();
    if (into.logarithms().type() != ElementType.F32
        || !Arrays.equals(into.logarithms().shape(), new long[] {o.size(1), o.size(3), o.size(2)})) {
      throw new IllegalArgumentException("states " + o + " cannot be merged with logarithms " + into.logarithms());
    }
    merge(states, into.output(), Optional.of(into.logarithms()));
  }

  private void requireMerged(AttentionState states, DeviceTensor into) {
    requireStates(states);
    ops.memory().requireWritable(into);
    var expected = Arrays.copyOfRange(states.output().shape(), 1, MODES + 1);
    if (into.type() != states.output().type() || !Arrays.equals(into.shape(), expected)
        || into.form().stride(MODES - 1) != 1) {
      throw new IllegalArgumentException("states " + states.output() + " cannot be merged into " + into);
    }
  }

  private void requireStates(AttentionState states) {
    var o = states.output();
    var logs = states.logarithms();
    ops.requireOwn(o);
    ops.requireOwn(logs);
    if (o.rank() != MODES + 1 || logs.rank() != MODES || logs.type() != ElementType.F32 || o.size(0) != logs.size(0)
        || o.size(1) != logs.size(1) || o.size(2) != logs.size(3) || o.size(3) != logs.size(2)) {
      throw new IllegalArgumentException("states " + o + " with logarithms " + logs
          + " do not fit: needed are (N,B,Sq,H,D) and f32(N,B,H,Sq)");
    }
  }

  private void merge(AttentionState states, DeviceTensor into, Optional<DeviceTensor> intoLogarithms) {
    if (into.elements() == 0) return;
    var o = states.output();
    var s = new Sizes(extent(o, 1), extent(o, 2), 0, extent(o, 3), extent(o, 3), Math.max(1, extent(o, 4)),
        Math.max(1, extent(o, 4)));
    try (var outputs = Held.inOrder(o); var logarithms = Held.inOrder(states.logarithms())) {
      var call = new Call(ops, "merge_states").with("partialO", outputs.tensor())
          .with("partialLSE", logarithms.tensor()).with("O", into);
      intoLogarithms.ifPresent(logs -> call.with("LSE", logs));
      call.run("", () -> {
        var dense = PartialStates.dense(o.type(), s, extent(o, 0));
        var placed = new PartialStates(o.type(), s, extent(o, 0), at(dense.o(), call.phase("partialO")),
            at(dense.lse(), call.phase("partialLSE")));
        var merged = new MergedState(o.type(), call.view("O"), intoLogarithms.map(_ -> call.rowView("LSE")),
            Optional.empty());
        return Plan.of(StateMerge.prepare(placed, merged, Target.SM80));
      });
    }
  }

  private static PartialStates.Stack at(PartialStates.Stack stack, long offset) {
    var v = stack.first();
    return new PartialStates.Stack(new View(v.buffer(), offset, v.batch(), v.sequence(), v.head(), v.dim()),
        stack.next());
  }

  private void requireTokens(String name, DeviceTensor tensor, KeyValueCache cache) {
    ops.requireOwn(tensor);
    if (tensor.rank() != MODES || tensor.type() != cache.keys().type() || tensor.size(0) != cache.batch()
        || tensor.size(3) != cache.keys().size(3)) {
      throw new IllegalArgumentException(name + " is " + tensor + ", but the cache of " + cache.batch()
          + " sequences has keys " + cache.keys() + ": needed is " + cache.keys().type().text() + "(" + cache.batch()
          + ",S,H," + cache.keys().size(3) + ")");
    }
  }

  private static Sizes sizes(DeviceTensor q, KeyValueCache cache, int keyHeads) {
    return new Sizes(extent(q, 0), extent(q, 1), Math.toIntExact(cache.room()), extent(q, 2), keyHeads, extent(q, 3),
        extent(cache.values(), 3));
  }

  private static int extent(DeviceTensor tensor, int mode) {
    return Math.toIntExact(tensor.size(mode));
  }

  private Call call(String operator, KeyValueCache cache, Held lengths, Held table) {
    var call = new Call(ops, operator).with("K", cache.keys()).with("V", cache.values())
        .with(LENGTHS, lengths.tensor());
    return cache.table().isPresent() ? call.with(TABLE, table.tensor()) : call;
  }

  private static View logarithms(Sizes s) {
    return View.bhsd("LSE", s.queries(), s.heads(), 1);
  }

  /** Attention whose output is Q's type, as all of the cache is. */
  private static AttentionProblem problem(Sizes s, Call call, KeyValueCache cache, View q) {
    var serving = Serving.NONE.withLengths(LENGTHS);
    var o = View.bshd("O", s.queries(), s.heads(), s.valueDim());
    return AttentionProblem.dense(cache.keys().type(), s).at(q, call.view("K"), call.view("V"), o)
        .with(cache.table().map(_ -> serving.with(new Serving.Pages(TABLE, Math.toIntExact(cache.keys().size(1)),
            Math.toIntExact(cache.keys().size(0))))).orElse(serving));
  }

  private static AttentionState computed(AttentionState state, Runnable compute) {
    try {
      compute.run();
      return state;
    } catch (RuntimeException e) {
      state.close();
      throw e;
    }
  }
}
