package tilewright.simulator.profile;

import java.util.ArrayList;
import java.util.List;
import tilewright.simulator.BankConflicts;
import tilewright.simulator.GlobalTraffic;
import tilewright.simulator.Profile.BulkTraffic;
import tilewright.simulator.Profile.SpaceTraffic;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Site;

/** Counts what the CTAs of one worker move, instruction by instruction. */
public final class TrafficCounter {
  private static final int SHARED_ACCESSES = 0;
  private static final int WAVEFRONTS = 1;
  private static final int IDEAL_WAVEFRONTS = 2;
  private static final int GLOBAL_ACCESSES = 3;
  private static final int SECTORS = 4;
  private static final int IDEAL_SECTORS = 5;
  /** Bytes read and written, by space. */
  private static final int BYTES = 6;
  private static final List<String> SPACES = List.of("global", "shared", "local");
  private static final int BULK_LOADED = BYTES + 2 * 3;
  private static final int BULK_RECEIVED = BULK_LOADED + 1;
  private static final int BULK_STORED = BULK_RECEIVED + 1;
  private static final int COLUMNS = BULK_STORED + 1;

  private final List<Site> sites;
  private final long[] counts;
  private final SectorCount sectors = new SectorCount();
  private final BankCount banks = new BankCount();

  TrafficCounter(List<Site> sites) {
    this.sites = sites;
    counts = new long[COLUMNS * sites.size()];
  }

  public void shared(int[] offsets, int mask, int bytes, int access, int site) {
    int at = site * COLUMNS;
    counts[at + SHARED_ACCESSES]++;
    counts[at + WAVEFRONTS] += banks.wavefronts(offsets, mask, bytes);
    counts[at + IDEAL_WAVEFRONTS] += BankCount.phases(mask, bytes);
    moved(at, 1, mask, bytes, access);
  }

  public void global(int[] offsets, int mask, int bytes, int access, int site) {
    int at = site * COLUMNS;
    counts[at + GLOBAL_ACCESSES]++;
    counts[at + SECTORS] += sectors.of(offsets, mask);
    counts[at + IDEAL_SECTORS] += sectors.ideal(mask, bytes);
    moved(at, 0, mask, bytes, access);
  }

  public void local(int mask, int bytes, int access, int site) {
    moved(site * COLUMNS, 2, mask, bytes, access);
  }

  private void moved(int at, int space, int mask, int bytes, int access) {
    long sum = (long) bytes * Integer.bitCount(mask);
    if (access != Access.WRITE) counts[at + BYTES + 2 * space] += sum;
    if (access != Access.READ) counts[at + BYTES + 2 * space + 1] += sum;
  }

  /** A bulk copy to so many places in shared memory. */
  public void bulkLoad(int bytes, int receivers, int site) {
    counts[site * COLUMNS + BULK_LOADED] += bytes;
    counts[site * COLUMNS + BULK_RECEIVED] += (long) bytes * receivers;
  }

  /** A bulk copy from shared to global memory. */
  public void bulkStore(int bytes, int site) {
    counts[site * COLUMNS + BULK_STORED] += bytes;
  }

  List<BulkTraffic> bulk() {
    var list = new ArrayList<BulkTraffic>();
    for (int i = 0; i < sites.size(); i++) {
      int at = i * COLUMNS;
      if (counts[at + BULK_RECEIVED] + counts[at + BULK_STORED] == 0) continue;
      list.add(new BulkTraffic(sites.get(i).line(), sites.get(i).text(), counts[at + BULK_LOADED],
          counts[at + BULK_RECEIVED], counts[at + BULK_STORED]));
    }
    list.sort(java.util.Comparator.comparingInt(BulkTraffic::line));
    return list;
  }

  void add(TrafficCounter other) {
    for (int i = 0; i < counts.length; i++) counts[i] += other.counts[i];
  }

  public List<BankConflicts> bankConflicts() {
    var list = new ArrayList<BankConflicts>();
    for (int i = 0; i < sites.size(); i++) {
      int at = i * COLUMNS;
      if (counts[at + SHARED_ACCESSES] == 0) continue;
      var s = sites.get(i);
      list.add(new BankConflicts(s.line(), s.text(), s.source(), counts[at + SHARED_ACCESSES], counts[at + WAVEFRONTS],
          counts[at + IDEAL_WAVEFRONTS]));
    }
    list.sort(java.util.Comparator.comparingInt(BankConflicts::line));
    return list;
  }

  public List<GlobalTraffic> globalTraffic() {
    var list = new ArrayList<GlobalTraffic>();
    for (int i = 0; i < sites.size(); i++) {
      int at = i * COLUMNS;
      if (counts[at + GLOBAL_ACCESSES] == 0) continue;
      var s = sites.get(i);
      list.add(new GlobalTraffic(s.line(), s.text(), s.source(), counts[at + GLOBAL_ACCESSES], counts[at + SECTORS],
          counts[at + IDEAL_SECTORS]));
    }
    list.sort(java.util.Comparator.comparingInt(GlobalTraffic::line));
    return list;
  }

  List<SpaceTraffic> spaces() {
    var list = new ArrayList<SpaceTraffic>();
    for (int space = 0; space < SPACES.size(); space++) {
      long read = 0;
      long written = 0;
      for (int at = BYTES + 2 * space; at < counts.length; at += COLUMNS) {
        read += counts[at];
        written += counts[at + 1];
      }
      list.add(new SpaceTraffic(SPACES.get(space), read, written));
    }
    return list;
  }
}
