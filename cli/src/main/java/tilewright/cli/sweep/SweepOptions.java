package tilewright.cli.sweep;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import tilewright.verification.Shard;

/** The options of a command that can run as one of several shards. */
public final class SweepOptions {
  @Option(names = "--shard", paramLabel = "I/N", converter = ShardConverter.class, description = {
      "Run only part I of N, I from 1 to N: together the N parts are the whole run, on any machines.",
      "Each seed of verify, each row of a measurement is then a run of its own."})
  private Optional<Shard> shard = Optional.empty();

  @Option(names = "--results", paramLabel = "DIR", description = {
      "Write each result to a file in this folder as it comes, for \"merge\".",
      "What the file holds already does not run again, so an interrupted run goes on."})
  private Optional<Path> results = Optional.empty();

  /** Returns whether this is a run for a sweep. */
  public boolean isGiven() {
    return shard.isPresent() || results.isPresent();
  }

  Shard shard() {
    return shard.orElse(Shard.WHOLE);
  }

  Optional<Path> results() {
    return results;
  }

  static final class ShardConverter implements ITypeConverter<Shard> {
    @Override
    public Shard convert(String text) {
      try {
        return Shard.of(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
