package tilewright.simulator.sanitizer;

import java.util.Optional;
import tilewright.simulator.Finding;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.ClusterAddresses;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.Reach;
import tilewright.simulator.core.Site;
import tilewright.simulator.core.Warp;
import tilewright.simulator.memory.Moves;

/** Says in words which two accesses race, and what would order them. */
public final class RaceReport {
  private static final String GRID_FIX = "give the blocks different elements, use atomics of scope .gpu on both sides, "
      + "or hand over by a flag: release (st.release.gpu, or a fence before the store) here, acquire there";
  private static final String ORDER_FIX = "let the blocks take turns, so that sums have one order: release a flag "
      + "(red.release.gpu) here, behind a barrier, and acquire it there";
  private static final String COPY_FIX =
      "wait for the copy (cp.async.wait_group, or the mbarrier at which it arrives), then a barrier";
  private static final String FLAG_FIX =
      "read the flag with ld.acquire and write it with st.release (or volatile with __threadfence()), not plainly";
  private static final String CLUSTER_FIX = "barrier.cluster between the two, or an mbarrier whose arrival releases "
      + "and whose wait acquires at scope .cluster: the default, .cta, reaches only threads of its own block";
  private static final String CLUSTER_SCOPE_FIX =
      "scope .cluster (or .gpu) on both sides: .cta reaches only threads of its own block";
  private static final String SYSTEM_SCOPE_FIX =
      "scope .sys on both sides: .gpu reaches only threads of its own device";
  private static final String SYSTEM_FLAG_FIX = "read the flag with ld.acquire.sys and write it with st.release.sys "
      + "(or volatile with __threadfence_system()), not plainly";
  private static final String SYSTEM_ACQUIRE_FIX = "acquire at scope .sys the flag by which it is released "
      + "(ld.acquire.sys, or fence.acq_rel.sys behind the load), in this thread or in one that hands over to it";
  private static final String SYSTEM_FIX = "hand over by a flag: release it at scope .sys (st.release.sys, or "
      + "fence.acq_rel.sys before a store of scope .sys) behind the earlier access, and acquire it there before this";
  private static final String SCOPE_FIX = "scope .gpu on both sides: .cta reaches only threads of its own block";

  private final Cta cta;
  private final ClusterHistory history;

  RaceReport(Cta cta, ClusterHistory history) {
    this.cta = cta;
    this.history = history;
  }

  void conflict(Warp w, int lane, long address, int site, int access, long other, int otherSite, int otherAccess) {
    boolean pending = Epoch.isPending(other);
    var at = history.launch().site(other, otherSite);
    var related = related(w, lane, other, at);
    var kind = pending && access == Access.READ ? Kind.PENDING_COPY_READ : Kind.RACE;
    cta.state.findings.add(new Findings.Report(kind, site, cta, w.thread(lane), AddressSpace.offset(address),
        pending ? waiting(other) : isOrdered(address, access) ? ORDER_FIX : fix(other, site, at),
        Optional.of(related), history.launch().numbered(other, otherSite), reach(w, other)),
        () -> subject(w, lane, site) + verb(access) + " " + place(address) + value(address)
        + (pending ? async(at, otherAccess) : ", which ") + who(w, other, related) + " "
        + verb(at.kind() == InstructionClass.ATOMIC ? Access.ATOMIC : otherAccess) + at(at)
        + (pending ? ", before that has been waited for" : ", with nothing that orders the two"));
  }

  /** An asynchronous operation accesses what its author has not made ready for it. */
  void missingProxyFence(Warp w, int lane, long address, int site, int access, long writer, int writerSite) {
    var at = history.launch().site(writer, writerSite);
    var related = related(w, lane, writer, at);
    cta.state.findings.add(new Findings.Report(Kind.MISSING_PROXY_FENCE, site, cta, w.thread(lane),
        AddressSpace.offset(address), "add fence.proxy.async behind the writes of " + at.where()
        + ", in the threads that write, before the barrier that hands over", Optional.of(related),
        history.launch().numbered(writer, writerSite)),
        () -> subject(w, lane, site) + verb(access) + " " + place(address) + value(address)
        + " through the asynchronous proxy, which " + who(w, writer, related) + " writes" + at(at)
        + " through the generic one, with no proxy fence of that thread behind it");
  }

  /** A copy goes by a tensor map that its author has not released, or its block not acquired, for such reads. */
  void missingTensorMapFence(Warp w, int lane, long address, int site, long writer, int writerSite,
      boolean released) {
    var at = history.launch().site(writer, writerSite);
    var related = related(w, lane, writer, at);
    cta.state.findings.add(new Findings.Report(Kind.MISSING_PROXY_FENCE, site, cta, w.thread(lane),
        AddressSpace.offset(address), released
        ? "put fence.proxy.tensormap::generic.acquire of the map, 128 bytes, before the copy, in a thread of its block"
        : "put fence.proxy.tensormap::generic.release (or tensormap.cp_fenceproxy) behind " + at.where()
        + ", in the thread that writes, before what hands the map over", Optional.of(related),
        history.launch().numbered(writer, writerSite)),
        () -> w.who(lane) + " copies by the tensor map at " + place(address)
        + " through the tensormap proxy, which " + who(w, writer, related) + " writes" + at(at)
        + " through the generic one, with no fence.proxy.tensormap::generic."
        + (released ? "acquire behind that in this block" : "release of that thread behind it"));
  }

  /** A thread uses an mbarrier although it cannot rely on the initialisation. */
  public void uninitialisedBarrier(Warp w, int lane, Cta owner, int offset, int site, long author, int authorSite,
      String fix) {
    var at = cta.kernel.sites().get(authorSite);
    var related = related(w, lane, author, at);
    long address = Sanitizer.of(owner).window() + offset;
    cta.state.findings.add(new Findings.Report(Kind.RACE, site, cta, w.thread(lane), offset, fix,
        Optional.of(related), authorSite), () -> subject(w, lane, site) + "uses the mbarrier " + place(address)
        + ", which " + who(w, author, related) + " initialises" + at(at)
        + ", with nothing that makes it ready for that");
  }

  /** An access to what an earlier grid may still write, or only read, with no wait for that before it. */
  void beforeEarlierGrids(Warp w, int lane, long address, int site, int access, boolean writing) {
    var buffer = cta.space.name(address);
    var fix = "put griddepcontrol.wait before it, in this thread or in one that hands over to it";
    cta.state.findings.add(new Findings.Report(Kind.MISSING_GRID_WAIT, site, cta, w.thread(lane),
        AddressSpace.offset(address), access == Access.READ && !buffer.isEmpty()
        ? fix + "; if no earlier kernel writes '" + buffer + "', let the launch say that it is \"ahead\"" : fix),
        () -> subject(w, lane, site) + verb(access) + " " + place(address) + ", which an earlier kernel of the stream"
        + " may still " + (writing ? "write" : "read") + ": nothing orders this behind a griddepcontrol.wait");
  }

  private Finding.Access related(Warp w, int lane, long other, Site at) {
    var launch = history.launch().system().launch(other);
    return new Finding.Access(at.line(), at.text(), at.source(), launch.blockAt(Epoch.ctaOf(other)),
        launch.threadAt(Epoch.warp(other) * Warp.LANES + otherLane(other, lane, w)));
  }

  private String subject(Warp w, int lane, int site) {
    var kind = cta.kernel.sites().get(site).kind();
    boolean async = kind == InstructionClass.ASYNC_COPY || kind == InstructionClass.TENSOR;
    return w.who(lane) + (async ? " asynchronously " : " ");
  }

  private static String at(Site at) {
    return " at " + at.where();
  }

  private String waiting(long other) {
    return Epoch.isAsync(other) ? history.access(other).fix : COPY_FIX;
  }

  private static String async(Site at, int access) {
    return (access == Access.WRITE ? ", the destination of an asynchronous " : ", the source of an asynchronous ")
        + (at.kind() == InstructionClass.ASYNC_COPY ? "copy" : "operation") + ", which ";
  }

  /** A lane that did the same as this one and is another. */
  private static int otherLane(long other, int lane, Warp w) {
    int recorded = Epoch.lane(other);
    boolean itself = Epoch.warp(other) == w.index && Epoch.ctaOf(other) == Epoch.cta(w.cta.number) && recorded == lane;
    if (!itself || !Epoch.isSeveral(other)) return recorded;
    return lane == 0 ? 1 : lane - 1;
  }

  private String who(Warp w, long other, Finding.Access related) {
    if (Epoch.ctaOf(other) != Epoch.cta(cta.number)) {
      return "thread " + related.thread() + " of block " + related.block()
          + history.launch().system().launch(other).slot;
    }
    var same = Epoch.warp(other) == w.index ? " of the same warp" : " of the same block";
    return "thread " + related.thread() + same + " (warp " + Epoch.warp(other) + ")";
  }

  private Reach reach(Warp w, long other) {
    if (Epoch.ctaOf(other) != Epoch.cta(cta.number)) return Reach.BEYOND;
    return Epoch.warp(other) == w.index ? Reach.WARP : Reach.CTA;
  }

  /** The fix of a race; the empty text where a barrier of the warp or block is the fix. */
  private String fix(long other, int site, Site there) {
    if (!history.launch().made(other)) return acrossDevices(other, site, there);
    var here = cta.kernel.sites().get(site);
    boolean sameCta = Epoch.ctaOf(other) == Epoch.cta(cta.number);
    boolean sameCluster = history.made(other);
    if (here.order().strong() && there.order().strong()) {
      return sameCta || !sameCluster ? SCOPE_FIX : CLUSTER_SCOPE_FIX;
    }
    // Atomic operations on a block's own data need a barrier as plain accesses do; another strong access is a flag.
    if (isFlag(here) || isFlag(there) || !sameCta && (here.order().strong() || there.order().strong())) return FLAG_FIX;
    if (!sameCta) return sameCluster ? CLUSTER_FIX : GRID_FIX;
    return "";
  }

  /** The fix of a race with a thread of another device: the instruction whose scope is too narrow, if there is one. */
  private String acrossDevices(long other, int site, Site there) {
    var here = cta.kernel.sites().get(site);
    if (here.order().strong() && there.order().strong()) return SYSTEM_SCOPE_FIX;
    if (isFlag(here) || isFlag(there)) return SYSTEM_FLAG_FIX;
    var system = history.launch().system();
    if (system.isReleased(other)) return SYSTEM_ACQUIRE_FIX;
    return system.narrowRelease(other).map(at -> "give scope .sys to the release at " + at.where() + " (" + at.text()
        + "): its scope reaches only threads of its own device").orElse(SYSTEM_FIX);
  }

  /** Whether an access is a reduction of something whose reductions have to be ordered. */
  private boolean isOrdered(long address, int access) {
    if (access != Access.ATOMIC || AddressSpace.isShared(address)) return false;
    var shadow = history.launch().shadows().of(address);
    return shadow != null && shadow.isOrdered();
  }

  private static boolean isFlag(Site at) {
    return at.order().strong() && at.kind() != InstructionClass.ATOMIC;
  }

  private static String verb(int access) {
    return access == Access.READ ? "reads" : access == Access.WRITE ? "writes" : "updates";
  }

  private String place(long address) {
    if (!AddressSpace.isShared(address) || ownerOf(address) == cta) return cta.places.of(address);
    return cta.places.of(address) + " of block " + ownerOf(address).position;
  }

  private Cta ownerOf(long address) {
    return cta.cluster.ctas[ClusterAddresses.rank(address)];
  }

  private String value(long address) {
    var base = AddressSpace.isShared(address) ? ownerOf(address).shared : cta.space.buffer(address);
    int at = (int) AddressSpace.offset(address) & -Shadow.WORD;
    if (at + Shadow.WORD > base.length) return "";
    return " (now 0x" + Integer.toHexString((int) Moves.INT.get(base, at)) + ")";
  }

  void uninitialised(Warp w, int lane, long address, int bytes, int site) {
    cta.state.findings.add(new Findings.Report(Kind.UNINITIALIZED_READ, site, cta, w.thread(lane),
        AddressSpace.offset(address),
        "write it first, or mask the read; a guard that skips the write may be too tight"),
        () -> w.who(lane) + " reads " + bytes + " bytes at " + place(address) + ", which nobody has written");
  }

  /** An instruction uses bits that a load before it has found, or decides by them. */
  void uninitialised(Warp w, int lane, long address, int bytes, int loadSite, int site, String verb) {
    var at = cta.kernel.sites().get(loadSite);
    var load = new Finding.Access(at.line(), at.text(), at.source(), cta.position, w.thread(lane));
    cta.state.findings.add(new Findings.Report(Kind.UNINITIALIZED_READ, site, cta, w.thread(lane),
        AddressSpace.offset(address),
        "write it first, or mask the value; a guard that skips the write may be too tight", Optional.of(load),
        loadSite), () -> w.who(lane) + " " + verb + " what it reads" + at(at) + " (" + at.text() + "): " + bytes
        + " bytes at " + place(address) + ", which nobody has written");
  }

  Fault overrun(Warp w, int lane, long address, int bytes, int site, int access) {
    return new Fault(Kind.OUT_OF_BOUNDS, site, lane, AddressSpace.offset(address), w.who(lane) + " " + verb(access)
        + " " + bytes + " bytes out of bounds: " + cta.places.overrun(AddressSpace.offset(address)));
  }
}
