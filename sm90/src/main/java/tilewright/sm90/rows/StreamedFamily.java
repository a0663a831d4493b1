package tilewright.sm90.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernel.Target;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * A family of the catalogue whose long rows are streamed. The tuning {@code stream} says how many CTAs share a row;
 * with 0 no row is streamed, and the kernel needs no Hopper.
 *
 * @param onHopper whether the family is for a GPU that runs the streamed kernels, or for none in particular
 * @param option of the base that must have that value, or there is no streamed kernel
 */
record StreamedFamily(Family base, RowOperation operation, String option, String value, boolean onHopper)
    implements Family {
  private static final String STREAM = "stream";
  /** The approximate part of a row that a CTA has, in bytes. */
  private static final int SLICE_BYTES = 32 << 10;
  private static final int MOST_CLUSTER = 8;

  @Override
  public String name() {
    return base.name();
  }

  @Override
  public String formula() {
    return base.formula();
  }

  @Override
  public List<Setting> settings() {
    return Stream.concat(base.settings().stream(), Stream.of(Setting.tuning(STREAM))).toList();
  }

  @Override
  public boolean supports(Choice choice) {
    return base.supports(choice);
  }

  /** The base's, and before them rows that are streamed. */
  @Override
  public List<List<Integer>> awkward() {
    var extents = new ArrayList<>(List.of(List.of(5, 32768)));
    extents.addAll(base.awkward());
    return extents;
  }

  @Override
  public List<List<Integer>> measured() {
    return base.measured();
  }

  @Override
  public Target target(Choice choice) {
    return config(choice).isPresent() ? Target.SM90A : base.target(choice);
  }

  @Override
  public Family on(int capability) {
    return new StreamedFamily(base.on(capability), operation, option, value, Target.SM90A.runsOn(capability));
  }

  @Override
  public Workload workload(Choice choice) {
    var portable = base.workload(choice);
    return config(choice).map(config -> streamed(choice, config, portable)).orElse(portable);
  }

  /** @throws IllegalArgumentException when rows cannot be streamed as chosen */
  private Optional<RowStreamConfig> config(Choice choice) {
    if (onHopper) return onHopper(choice);
    if (choice.tuned(STREAM, 0) == 0) return Optional.empty();
    throw new IllegalArgumentException("only Hopper streams rows");
  }

  private Optional<RowStreamConfig> onHopper(Choice choice) {
    var type = choice.type("dtype");
    int columns = choice.number("n");
    int cluster = choice.tuned(STREAM, -1);
    if (cluster == 0) return Optional.empty();
    if (cluster < 0) {
      return choice.text(option).equals(value) && !shaped(choice) ? liked(type, columns) : Optional.empty();
    }
    if (!choice.text(option).equals(value) || cluster > MOST_CLUSTER || Integer.bitCount(cluster) != 1) {
      throw new IllegalArgumentException("cannot stream rows with " + choice + ": needed are 1, 2, 4 or 8 CTAs a row "
          + "and " + option + "=" + value);
    }
    var config = config(type, columns, cluster);
    if (config.isEmpty()) {
      throw new IllegalArgumentException("cannot stream rows of " + columns + " columns: each of " + cluster
          + " CTAs needs a multiple of 512 bytes, twice in its shared memory");
    }
    return config;
  }

  /** Whether accesses are chosen, which only the portable kernel leaves open. */
  private static boolean shaped(Choice choice) {
    return Stream.of("vec", "runs").anyMatch(tuning -> !choice.text(tuning).equals(Setting.AUTO));
  }

  /** The configuration measured fastest on an H200, up to 256 KiB per row; shorter rows are as fast in registers. */
  private Optional<RowStreamConfig> liked(ElementType type, int columns) {
    long bytes = (long) columns * type.bytes();
    if (bytes < operation.leastBytes(type)) return Optional.empty();
    long slices = Math.ceilDiv(bytes, SLICE_BYTES);
    int enough = slices == 1 ? 1 : 2 * (int) Long.highestOneBit(slices - 1);
    return config(type, columns, operation.cluster(enough, MOST_CLUSTER));
  }

  private Optional<RowStreamConfig> config(ElementType type, int columns, int cluster) {
    return RowStreamConfig.of(type, columns, cluster, operation.warps(cluster), operation.ringBytes(cluster));
  }

  private Workload streamed(Choice choice, RowStreamConfig config, Workload portable) {
    var kernel = new StreamedRows(operation, choice.type("dtype"), choice.number("n"), config);
    var operands = new ArrayList<>(portable.operands());
    operands.add(Operand.scratch("tickets", ElementType.I32, new Operand.Fill.Zeros(), 1));
    return Workload.of(kernel, Target.SM90A, Dim3.of(config.grid(choice.number("m"))), portable.reference(),
        operands.toArray(Operand[]::new));
  }
}
