package tilewright.cli.sweep;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.verification.Shard;

/**
 * The first line of a file of results: what its shard is to run, so that what is missing can be told without running
 * anything.
 *
 * @param version of the file's format
 * @param commit of the program
 * @param arguments of the command, without those of the sweep
 * @param shard such as {@code 3/16}
 * @param total the number of runs of all shards
 * @param runs the keys of the shard's runs, in order
 */
record SweepPlan(int version, String commit, List<String> arguments, String shard, int total, List<String> runs) {
  private static final int VERSION = 1;

  SweepPlan {
    if (version != VERSION) {
      throw new IllegalArgumentException("its format is version " + version + ", this program reads " + VERSION);
    }
    arguments = List.copyOf(arguments);
    runs = List.copyOf(runs);
    Shard.of(shard);
  }

  static SweepPlan of(String commit, List<String> arguments, Shard shard, List<String> all) {
    return new SweepPlan(VERSION, commit, arguments, shard.toString(), all.size(),
        all.stream().filter(shard::holds).toList());
  }

  Shard part() {
    return Shard.of(shard);
  }

  /** Returns the command as one would type it. */
  String command() {
    return arguments.stream().map(SweepPlan::quoted).collect(Collectors.joining(" ", "verify ", "")).strip();
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
