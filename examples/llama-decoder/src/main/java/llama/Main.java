package llama;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.ops.collectives.CollectiveException;
import tools.jackson.databind.json.JsonMapper;

/** The command line. */
@Command(name = "llama-decoder", sortOptions = false, mixinStandardHelpOptions = true,
    description = "Continues a text by a Llama, on GPUs or in the simulator. Texts are token ids.")
final class Main implements Callable<Integer> {
  @Option(names = "--model", required = true, description = "folder with config.json and .safetensors files")
  private Path model;
  @Option(names = "--prompt-ids", required = true, split = ",", description = "tokens so far, such as 1,2,3")
  private int[] prompt;
  @Option(names = "--tokens", defaultValue = "32", description = "tokens to choose (${DEFAULT-VALUE})")
  private int tokens;
  @Option(names = "--top-p", description = "draw from the likeliest tokens of this probability; otherwise greedy")
  private Optional<Double> topP;
  @Option(names = "--seed", defaultValue = "1", description = "of the draws (${DEFAULT-VALUE})")
  private long seed;
  @Option(names = "--batch", defaultValue = "1", description = "texts at once (${DEFAULT-VALUE})")
  private int batch;
  @Option(names = "--gpus", defaultValue = "1", description = "that share the model (${DEFAULT-VALUE})")
  private int gpus;
  @Option(names = "--runs", defaultValue = "1", description = "how often; times are the last's (${DEFAULT-VALUE})")
  private int runs;
  @Option(names = "--json", description = "print one JSON document")
  private boolean json;

  record Report(String device, int batch, int prompt, int tokens, double secondsOfFirstToken, double seconds,
      double tokensPerSecond, double decodeTokensPerSecond, int[][] texts) {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setExecutionExceptionHandler((e, line, _) -> {
      if (!(e instanceof IllegalArgumentException || e instanceof IOException || e instanceof CollectiveException)) {
        throw e;
      }
      line.getErr().println("llama-decoder: " + (e instanceof IOException ? "cannot read " : "") + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    });
  }

  @Override
  public Integer call() throws IOException {
    if (IntStream.of(tokens, batch, gpus, runs).anyMatch(number -> number < 1)) {
      throw new IllegalArgumentException("a number is below 1");
    }
    var config = LlamaConfig.read(model.resolve("config.json"));
    int most = config.vocabulary() - 1;
    if (!Arrays.stream(prompt).allMatch(id -> id >= 0 && id <= most)) {
      throw new IllegalArgumentException("prompt ids are " + Arrays.toString(prompt) + "; needed are 0 to " + most);
    }
    try (var arena = Arena.ofShared(); var devices = Devices.open(gpus, Devices.gpus())) {
      var from = Safetensors.open(model, arena);
      // Every device chooses the same tokens: all have the same logits.
      var texts = devices.run((ops, share) ->
          generate(Decoder.load(from, config, prompt.length + tokens, ops, share))).getFirst();
      double decoding = texts.seconds() - texts.firstSeconds();
      var report = new Report(devices.toString(), batch, prompt.length, tokens, texts.firstSeconds(), texts.seconds(),
          batch * tokens / texts.seconds(), batch * (tokens - 1) / decoding, texts.tokens());
      if (json) IO.println(JsonMapper.shared().writeValueAsString(report));
      else IO.println("%s%n%.1f tokens/s, %.1f after the first, on %s".formatted(Arrays.deepToString(texts.tokens()),
          report.tokensPerSecond, report.decodeTokensPerSecond, devices));
    }
    return CommandLine.ExitCode.OK;
  }

  private Generator.Texts generate(Decoder decoder) {
    var generator = new Generator(decoder);
    var prompts = Stream.generate(() -> prompt).limit(batch).toArray(int[][]::new);
    Supplier<Sampler> sampler = () -> topP.map(p -> Sampler.topP(p, seed)).orElseGet(Sampler::greedy);
    for (int run = 1; run < runs; run++) generator.generate(prompts, tokens, sampler.get());
    return generator.generate(prompts, tokens, sampler.get());
  }
}
