package tilewright.cli.sweep;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedCollection;
import java.util.SequencedMap;
import java.util.SequencedSet;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.InputFile;
import tilewright.verification.Shard;
import tools.jackson.databind.json.JsonMapper;

/** Appends a shard's results to its file, a line each, behind those that an earlier run has left there. */
final class ResultsWriter implements AutoCloseable {
  private final Path file;
  private final FileChannel channel;
  private final SequencedMap<String, SweepResult> done;
  private final SequencedSet<String> pending;

  private ResultsWriter(Path file, FileChannel channel, SweepPlan plan, List<SweepResult> earlier) {
    this.file = file;
    this.channel = channel;
    pending = new LinkedHashSet<>(plan.runs());
    done = new LinkedHashMap<>();
    for (var result : earlier) if (pending.remove(result.run())) done.put(result.run(), result);
  }

  /** Returns the name of a shard's file. */
  static String name(String command, Shard shard) {
    return "%s-%d-of-%d.jsonl".formatted(command, shard.number(), shard.count());
  }

  /**
   * Opens the file of the plan's shard and locks it.
   *
   * @throws CommandFailure if it holds the results of another plan, or another run is writing it
   */
  static ResultsWriter open(Path folder, SweepPlan plan, Console console) {
    makeFolder(folder);
    var file = folder.resolve(name(plan.source().command(), plan.part()));
    AtomicFile.requireWritable(file);
    try {
      var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        return resume(file, channel, plan, console);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  /** Makes the folder, if no other shard has done so. */
  private static void makeFolder(Path folder) {
    try {
      if (!Files.isDirectory(folder)) Files.createDirectory(folder);
    } catch (FileAlreadyExistsException _) {
      if (!Files.isDirectory(folder)) throw CommandFailure.badFile(folder, "is no folder; name one with --results");
    } catch (NoSuchFileException _) {
      throw CommandFailure.badFile(folder, "the folder that it would be in does not exist");
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be made: " + InputFile.reason(e));
    }
  }

  private static ResultsWriter resume(Path file, FileChannel channel, SweepPlan plan, Console console)
      throws IOException {
    if (!isLocked(file, channel, console)) {
      throw CommandFailure.badFile(file, "another run is writing it; wait for its end");
    }
    var content = SweepFile.read(file);
    content.remark().ifPresent(console::note);
    for (var old : content.plans()) requireSame(file, old, plan);
    if (content.plans().isEmpty() && !content.results().isEmpty()) {
      throw CommandFailure.badFile(file, "does not begin with its shard's plan; name another folder with --results");
    }
    channel.truncate(content.whole()).position(content.whole());
    var writer = new ResultsWriter(file, channel, plan, content.results());
    if (content.plans().isEmpty()) writer.append(plan);
    console.note("shard %s: %d of %d runs, %d of them done before".formatted(plan.shard(), plan.runs().size(),
        plan.total(), writer.done.size()));
    return writer;
  }

  private static boolean isLocked(Path file, FileChannel channel, Console console) {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException _) {
      return false;
    } catch (IOException e) {
      // Some file systems of clusters are mounted without locks; a sweep shall run there too.
      console.note(file + ": cannot be locked (" + InputFile.reason(e) + "); no other run may write it meanwhile");
      return true;
    }
  }

  private static void requireSame(Path file, SweepPlan old, SweepPlan plan) {
    if (old.equals(plan)) return;
    String difference;
    var sources = old.source().difference(plan.source());
    if (sources.isPresent()) {
      difference = "holds results of " + sources.get().here() + ", this is " + sources.get().there();
    } else if (!old.arguments().equals(plan.arguments())) {
      difference = "holds results of \"" + old.command() + "\", this is \"" + plan.command() + "\"";
    } else {
      difference = "was planned with other cases, for another GPU or with other kernels on the class path";
    }
    throw CommandFailure.badFile(file, difference + "; name another folder with --results");
  }

  /** Returns the results of planned runs that were in the file when it was opened, one of each. */
  SequencedCollection<SweepResult> done() {
    return Collections.unmodifiableSequencedCollection(done.sequencedValues());
  }

  /** Returns the keys of the runs that were not in the file when it was opened, in the plan's order. */
  SequencedSet<String> pending() {
    return Collections.unmodifiableSequencedSet(pending);
  }

  /** Writes one line, which is in the file even if the process is killed right after. */
  void append(Object line) {
    var text = JsonMapper.shared().writeValueAsString(line) + "\n";
    try {
      AtomicFile.writeFully(channel, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }

  private static CommandFailure unwritable(Path file, IOException e) {
    return CommandFailure.badFile(file, "cannot be written: " + InputFile.reason(e));
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw unwritable(file, e);
    }
  }
}
