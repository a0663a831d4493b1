package tilewright.cli.sweep;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.verification.Shard;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The first line of a file of results: what its shard is to run, so that what is missing can be told without running
 * anything.
 *
 * @param version of the file's format
 * @param source the program and the machine that it is of
 * @param arguments of the command, without those of the sweep
 * @param shard such as {@code 3/16}
 * @param total the number of runs of all shards
 * @param runs the keys of the shard's runs, in order
 */
record SweepPlan(int version, SweepSource source, List<String> arguments, String shard, int total,
    List<String> runs) {
  /** Format 1 knew only {@code verify}: its plans have the commit alone for a source. */
  private static final int VERIFY_ONLY = 1;
  private static final int VERSION = 2;

  SweepPlan {
    if (version != VERSION) {
      throw new IllegalArgumentException("its format is version " + version + ", this program reads " + VERIFY_ONLY
          + " and " + VERSION);
    }
    Objects.requireNonNull(source);
    arguments = List.copyOf(arguments);
    runs = List.copyOf(runs);
    Shard.of(shard);
  }

  static SweepPlan of(SweepSource source, List<String> arguments, Shard shard, List<String> all) {
    return new SweepPlan(VERSION, source, arguments, shard.toString(), all.size(),
        all.stream().filter(shard::holds).toList());
  }

  /** Reads a plan of this format or of format 1. */
  static SweepPlan of(JsonNode json) {
    if (json.path("version").asInt(0) != VERIFY_ONLY || !(json instanceof ObjectNode old)) {
      return JsonMapper.shared().treeToValue(json, SweepPlan.class);
    }
    var source = new SweepSource(VerifyShard.COMMAND, old.path("commit").asString(), Optional.empty());
    var plan = old.deepCopy().put("version", VERSION);
    plan.set("source", JsonMapper.shared().valueToTree(source));
    return JsonMapper.shared().treeToValue(plan, SweepPlan.class);
  }

  Shard part() {
    return Shard.of(shard);
  }

  /** Returns the command as one would type it. */
  String command() {
    return arguments.stream().map(SweepPlan::quoted).collect(Collectors.joining(" ", source.command() + " ", ""))
        .strip();
  }

  /** Returns the command that runs, or resumes, a shard. */
  String command(Shard part, String folder) {
    return Stream.of(command(), "--shard", part.toString(), "--results", quoted(folder))
        .collect(Collectors.joining(" ", "./tilewright ", ""));
  }

  private static String quoted(String word) {
    return word.matches("[\\w./=,:@+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
