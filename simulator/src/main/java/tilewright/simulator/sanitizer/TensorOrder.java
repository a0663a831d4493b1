package tilewright.simulator.sanitizer;

/**
 * The order of a warp's {@code tcgen05} operations with those of other warps (PTX ISA, Memory Consistency Model for 5th
 * generation of TensorCore operations): whatever synchronises threads carries knowledge of them, but a fence must make
 * it ready on the one side and accept it on the other.
 */
public final class TensorOrder {
  private final int warp;
  private int issued;
  /** The operations that the next one is ordered behind. */
  private final TensorKnowledge effective;
  /** The operations that it would be ordered behind if no fence were missing. */
  private final TensorKnowledge loose;
  /** The knowledge that has been heard and waits for {@code fence::after_thread_sync}. */
  private final TensorKnowledge heard;
  /** The knowledge that {@code fence::before_thread_sync} has made ready. */
  private final TensorKnowledge ready;
  private boolean active;
  private final int warps;

  /** The knowledge that a synchronisation carries. */
  static final class Told {
    private TensorKnowledge fenced;
    private TensorKnowledge loose;

    private void open(int warps) {
      if (fenced != null) return;
      fenced = new TensorKnowledge(warps);
      loose = new TensorKnowledge(warps);
    }

    void join(Told other) {
      if (other.fenced == null) return;
      open(other.fenced.warps());
      fenced.join(other.fenced);
      loose.join(other.loose);
    }
  }

  TensorOrder(int warp, int warps) {
    this.warp = warp;
    this.warps = warps;
    effective = new TensorKnowledge(warps);
    loose = new TensorKnowledge(warps);
    heard = new TensorKnowledge(warps);
    ready = new TensorKnowledge(warps);
  }

  void reset() {
    issued = 0;
    active = false;
    effective.clear();
    loose.clear();
    heard.clear();
    ready.clear();
  }

  /** An operation begins; returns its number. */
  public int next() {
    active = true;
    issued++;
    effective.reachIssued(warp, issued);
    loose.reachIssued(warp, issued);
    return issued;
  }

  public int issued() {
    return issued;
  }

  /** The warp's own operations of a class have been waited for. */
  public void waited(TensorKnowledge.Completion how) {
    effective.reachDone(how, warp, issued);
    loose.reachDone(how, warp, issued);
  }

  /** An operation of some warp is taken to be done and known, because it was reported that it is not. */
  public void assume(TensorKnowledge.Completion how, int other, int number) {
    for (var k : new TensorKnowledge[] {effective, loose}) {
      k.reachIssued(other, number);
      k.reachDone(how, other, number);
    }
  }

  /** {@code fence::before_thread_sync}. */
  public void before() {
    ready.join(effective);
  }

  /** {@code fence::after_thread_sync}. */
  public void after() {
    effective.join(heard);
  }

  /** The warp synchronises with whoever will hear. */
  public void tell(Told told) {
    if (!active) return;
    told.open(warps);
    told.fenced.join(ready);
    told.loose.join(loose);
  }

  /** A commit: what is issued so far will be done, and is fenced. */
  public void commit(Told told) {
    told.open(warps);
    told.fenced.join(effective);
    told.loose.join(loose);
    told.fenced.reachDone(TensorKnowledge.Completion.COMMIT, warp, issued);
    told.loose.reachDone(TensorKnowledge.Completion.COMMIT, warp, issued);
  }

  public void hear(Told told) {
    if (told.fenced == null) return;
    active = true;
    heard.join(told.fenced);
    loose.join(told.loose);
  }

  public TensorKnowledge effective() {
    return effective;
  }

  public TensorKnowledge loose() {
    return loose;
  }
}
