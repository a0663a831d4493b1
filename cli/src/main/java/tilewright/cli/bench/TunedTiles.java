package tilewright.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.InputFile;
import tilewright.device.Gpu;
import tilewright.device.cubin.UserCache;
import tilewright.device.driver.GpuProbe;
import tilewright.kernels.GemmProblem;
import tilewright.sm90.Sm90Gemms;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The fastest tile for problems that {@code tune} has measured on one GPU: a JSON object of shapes and tiles in the
 * user's cache.
 */
public record TunedTiles(Path file, String gpu, Map<String, String> tiles) {
  /** The kernel whose tiles they are. */
  public static final String KERNEL = "sm90_gemm";
  /** The version of the file's format; a table of another one is measured anew. */
  private static final int VERSION = 1;

  public TunedTiles {
    tiles = Map.copyOf(tiles);
  }

  /** The table of a GPU in a folder; empty where there is none yet. */
  static TunedTiles of(Path folder, String gpu, Console console) {
    var file = file(folder, gpu);
    var tiles = new LinkedHashMap<String, String>();
    try {
      if (Files.exists(file)) {
        var root = JsonMapper.shared().readTree(InputFile.text(file));
        if (root.path("version").asInt(VERSION) == VERSION) {
          root.path("tiles").properties().forEach(entry -> tiles.put(entry.getKey(), entry.getValue().asString()));
        } else {
          console.note(file + " is ignored: it is of another version; tune writes a new one");
        }
      }
    } catch (CommandFailure | JacksonException e) {
      tiles.clear();
      console.note(file + " is ignored: it is no table of tiles; tune writes a new one");
    }
    return new TunedTiles(file, gpu, tiles);
  }

  static Path file(Path folder, String gpu) {
    return folder.resolve("tuned-" + gpu.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".json");
  }

  /** The table of this machine's first GPU, if it has one. */
  public static Optional<TunedTiles> ofThisGpu(Console console) {
    return Gpu.probe() instanceof GpuProbe.Available(_, var devices)
        ? Optional.of(of(UserCache.folder(), devices.getFirst().name(), console)) : Optional.empty();
  }

  /** Returns the tile that tuning chose for a problem, if the problem can still have it. */
  public Optional<String> tile(GemmProblem problem) {
    return Optional.ofNullable(tiles.get(key(problem))).filter(Sm90Gemms.tiles(problem)::contains);
  }

  /** Returns a copy with the tile of one more problem. */
  TunedTiles with(GemmProblem problem, String tile) {
    var more = new LinkedHashMap<>(tiles);
    more.put(key(problem), tile);
    return new TunedTiles(file, gpu, more);
  }

  /** Keeps the table for later runs. */
  void save() {
    try {
      Files.createDirectories(file.getParent());
    } catch (IOException e) {
      throw CommandFailure.badFile(file.getParent(), "cannot be made: " + e.getMessage());
    }
    AtomicFile.write(file,
        JsonMapper.shared().writeValueAsString(Map.of("version", VERSION, "gpu", gpu, "tiles", tiles)));
  }

  /** The key of a problem, such as {@code 4096x4096x4096 TN bf16->bf16}. */
  static String key(GemmProblem p) {
    return p.m() + "x" + p.n() + "x" + p.k() + (p.batch() > 1 ? "x" + p.batch() : "") + " "
        + (p.a().isRowMajor() ? "T" : "N") + (p.b().isRowMajor() ? "N" : "T") + " " + p.types();
  }
}
