package tilewright.simulator.machine;

import java.util.Arrays;
import tilewright.ptx.Dim3;
import tilewright.simulator.async.AsyncCopies;
import tilewright.simulator.async.BulkGroups;
import tilewright.simulator.async.CopyUnits;
import tilewright.simulator.core.Cluster;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;
import tilewright.simulator.core.Watch;
import tilewright.simulator.mma.MmaUnit;
import tilewright.simulator.mma.MmaUnits;
import tilewright.simulator.mma.TensorCores;
import tilewright.simulator.mma.WmmaTransfer;
import tilewright.simulator.profile.ExecutionCounter;
import tilewright.simulator.profile.LaunchProfile;
import tilewright.simulator.profile.Timeline;
import tilewright.simulator.sanitizer.ClusterHistory;
import tilewright.simulator.sanitizer.CtaWatch;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sync.Barriers;
import tilewright.simulator.sync.ClusterBarrier;
import tilewright.simulator.sync.Mbarriers;
import tilewright.simulator.sync.RegisterPool;
import tilewright.simulator.sync.SyncUnits;
import tilewright.simulator.tcgen05.TensorMemory;
import tilewright.simulator.tcgen05.TensorMma;
import tilewright.simulator.tcgen05.TensorTransfer;
import tilewright.simulator.tcgen05.TensorUnits;
import tilewright.simulator.tcgen05.TensorWatch;
import tilewright.simulator.tensorcore.TensorTile;
import tilewright.simulator.wgmma.Warpgroup;
import tilewright.simulator.wgmma.WgmmaUnit;
import tilewright.simulator.wgmma.WgmmaUnits;
import tilewright.simulator.wgmma.WgmmaWarp;

/** A CTA with all that its instructions work with. */
final class RunningCta extends Cta implements SyncUnits, CopyUnits, MmaUnits, WgmmaUnits, TensorUnits {
  /** Null when the launch is not profiled. */
  final ExecutionCounter executions;
  /** Null when the launch is not profiled, and for later CTAs. */
  Timeline.Recorder recorder;
  private final LaunchProfile profile;
  private final ClusterBarrier clusterBarrier;
  private final Barriers barriers;
  private final Mbarriers mbarriers;
  private final RegisterPool registers;
  private final BulkGroups groups;
  private final AsyncCopies[] copies;
  private final TensorMemory tensorMemory;
  private final TensorWatch tensorWatch;
  private final Warpgroup[] warpgroups;
  private final WgmmaWarp[] wgmmaWarps;
  /** Large, and so null until they are asked for. */
  private TensorParts tensorParts;
  private WgmmaUnit wgmmaUnit;

  RunningCta(Cluster cluster, int rank, ClusterBarrier clusterBarrier, ClusterHistory history, LaunchProfile profile) {
    super(cluster, rank, cta -> watch(cta, history, profile));
    this.clusterBarrier = clusterBarrier;
    this.profile = profile;
    executions = state.profile ? profile.newExecutions() : null;
    barriers = new Barriers(this);
    mbarriers = new Mbarriers(this);
    registers = new RegisterPool(this);
    groups = new BulkGroups(this);
    copies = Arrays.stream(warps).map(AsyncCopies::new).toArray(AsyncCopies[]::new);
    tensorMemory = new TensorMemory(this);
    tensorWatch = state.sanitize ? new TensorWatch(this) : null;
    warpgroups = new Warpgroup[warps.length / Warp.WARPGROUP_WARPS];
    Arrays.setAll(warpgroups, i -> new Warpgroup(this, i * Warp.WARPGROUP_WARPS));
    wgmmaWarps = Arrays.stream(warps).map(WgmmaWarp::new).toArray(WgmmaWarp[]::new);
  }

  private static Watch watch(Cta cta, ClusterHistory history, LaunchProfile profile) {
    if (!cta.state.watched()) return null;
    return new CtaWatch(cta.state.sanitize ? new Sanitizer(cta, history) : null, profile.newTraffic(), profile.uses());
  }

  @Override
  public void reset(Dim3 newPosition) {
    super.reset(newPosition);
    for (var c : copies) c.reset();
    for (var w : wgmmaWarps) w.reset();
    barriers.reset();
    mbarriers.reset();
    registers.reset();
    for (var g : warpgroups) g.reset();
    groups.reset();
    tensorMemory.reset();
    if (tensorWatch != null) tensorWatch.reset();
    if (tensorParts != null) tensorParts.tensorMma.reset();
    var sanitizer = Sanitizer.of(this);
    if (sanitizer != null) sanitizer.reset();
    boolean recorded = state.profile && number - state.slot.firstCta() < Timeline.MOST_CTAS;
    recorder = recorded ? profile.timeline().new Recorder(this) : null;
  }

  private TensorParts tensorParts() {
    if (tensorParts == null) tensorParts = new TensorParts(state);
    return tensorParts;
  }

  @Override
  public Barriers barriers() {
    return barriers;
  }

  @Override
  public Mbarriers mbarriers() {
    return mbarriers;
  }

  @Override
  public RegisterPool registers() {
    return registers;
  }

  @Override
  public ClusterBarrier clusterBarrier() {
    return clusterBarrier;
  }

  @Override
  public BulkGroups groups() {
    return groups;
  }

  @Override
  public AsyncCopies copies(Warp warp) {
    return copies[warp.index];
  }

  @Override
  public TensorCores tensorCores() {
    return tensorParts().tensorCores;
  }

  @Override
  public MmaUnit mma() {
    return tensorParts().mma;
  }

  @Override
  public WmmaTransfer wmma() {
    return tensorParts().wmma;
  }

  @Override
  public Warpgroup warpgroup(int index) {
    return warpgroups[index];
  }

  @Override
  public WgmmaWarp wgmma(Warp warp) {
    return wgmmaWarps[warp.index];
  }

  @Override
  public WgmmaUnit wgmma() {
    if (wgmmaUnit == null) wgmmaUnit = new WgmmaUnit(state.adder);
    return wgmmaUnit;
  }

  @Override
  public TensorMemory tensorMemory() {
    return tensorMemory;
  }

  @Override
  public TensorWatch tensorWatch() {
    return tensorWatch;
  }

  @Override
  public TensorTransfer transfer() {
    return tensorParts().transfer;
  }

  @Override
  public TensorMma tensorMma() {
    return tensorParts().tensorMma;
  }

  @Override
  public TensorTile tile() {
    return tensorParts().tile;
  }
}
