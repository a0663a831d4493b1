package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.Instruction.Guard;
import tilewright.ptx.Launch;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;
import tilewright.simulator.Program;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/**
 * Mutants of one kernel in one program, with one parameter more that says which of them it is: what would be loaded
 * and compiled for each mutant anew, most of a short run's time, is so once.
 */
final class MutantSwitch {
  /** The number of the kernel itself. */
  private static final int NONE = -1;
  /** Times the kernel's own instructions. Under every schedule that is used, the kernel itself has to do with them. */
  private static final int PATIENCE = 4;
  private static final int WORKERS = Math.min(2, Runtime.getRuntime().availableProcessors());

  private static final String PARAMETER = "mutant";
  private static final Operand.Register WHICH = new Operand.Register("%mutant");
  private static final Operand.Register OTHER = new Operand.Register("%another_mutant");

  private final Program program;
  private final Map<Mutant, Integer> numbers = new IdentityHashMap<>();
  /** Tried one after the other, until one notices. */
  private final List<Attempt> attempts = new ArrayList<>();
  /** Attempts, the first of them, that notice nothing in the kernel itself. */
  private int clean;

  /** A trial under one schedule, with the most instructions that it may take. */
  private record Attempt(MutationTrial trial, long seed, long limit) {}

  /**
   * @param trials of one kernel, by which a mutant is tried one after the other
   * @param mutants all of one module
   */
  MutantSwitch(List<MutationTrial> trials, List<Mutant> mutants) {
    program = Simulator.load(module(mutants));
    for (int i = 0; i < mutants.size(); i++) numbers.put(mutants.get(i), i);
    for (var trial : trials) {
      if (!trial.launch().kernel().ptx().equals(trials.getFirst().launch().kernel().ptx())) {
        throw new IllegalArgumentException("trials of several kernels");
      }
      long limit = PATIENCE * run(trial, NONE, trial.buffers().get(),
          trial.options(trial.seeds().getFirst())).instructions();
      for (long seed : trial.seeds()) attempts.add(new Attempt(trial, seed, limit));
    }
  }

  private SimulationResult run(MutationTrial trial, int number, Map<String, MemorySegment> buffers,
      SimulatorOptions options) {
    var launch = trial.launch();
    var arguments = new ArrayList<>(launch.arguments());
    arguments.add(Launch.Argument.u32(number));
    return program.run(new PreparedLaunch(launch.kernel(), launch.grid(), arguments, launch.scratch()).on(buffers),
        options);
  }

  private List<String> findings(int number, Attempt attempt) {
    var trial = attempt.trial();
    var held = trial.buffers().get();
    var options = trial.options(attempt.seed()).withInstructionLimit(attempt.limit());
    return trial.findings(run(trial, number, held, options), held);
  }

  /** Those of some of the mutants that no trial and schedule notices, two at a time. */
  List<Mutant> missed(List<Mutant> mutants) {
    try (var workers = Executors.newFixedThreadPool(WORKERS)) {
      var tried = workers.invokeAll(mutants.stream().map(m -> (Callable<Integer>) () -> attemptsInVain(m)).toList());
      var missed = new ArrayList<Mutant>();
      int most = 0;
      for (int i = 0; i < mutants.size(); i++) {
        int inVain = tried.get(i).get();
        if (inVain == attempts.size()) missed.add(mutants.get(i));
        else most = Math.max(most, inVain);
      }
      assertTheKernelItselfIsClean(most + 1);
      return missed;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a mutant cannot be run", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted among the mutants", e);
    }
  }

  private int attemptsInVain(Mutant mutant) {
    int i = 0;
    while (i < attempts.size() && findings(numbers.get(mutant), attempts.get(i)).isEmpty()) i++;
    return i;
  }

  /** Else it would be the switch that was noticed. Each attempt shows it once. */
  private void assertTheKernelItselfIsClean(int used) {
    for (; clean < used; clean++) {
      var attempt = attempts.get(clean);
      assertEquals(List.of(), findings(NONE, attempt), "seed " + attempt.seed());
    }
  }

  private static PtxModule module(List<Mutant> mutants) {
    var function = mutants.getFirst().function();
    var at = new HashMap<Integer, List<Integer>>();
    for (int i = 0; i < mutants.size(); i++) {
      if (mutants.get(i).function() != function) throw new IllegalArgumentException("mutants of several functions");
      for (int place : mutants.get(i).replacements().keySet()) {
        at.computeIfAbsent(place, _ -> new ArrayList<>()).add(i);
      }
    }
    var parameters = new ArrayList<>(function.parameters());
    parameters.add(Variable.parameter(PtxType.U32, PARAMETER));
    return Mutant.replaced(mutants.getFirst().original(), function, parameters, body(function, mutants, at));
  }

  private static List<Statement> body(Function function, List<Mutant> mutants, Map<Integer, List<Integer>> at) {
    var body = new ArrayList<Statement>();
    body.add(new Statement.Registers(PtxType.B32, WHICH.name(), 0));
    body.add(new Statement.Registers(PtxType.PRED, OTHER.name(), 0));
    body.add(Instruction.of("ld.param.u32", WHICH, new Operand.Address(new Operand.Symbol(PARAMETER), 0)));
    var original = function.body().orElseThrow();
    for (int i = 0; i < original.size(); i++) {
      var here = at.getOrDefault(i, List.of());
      var end = "END_OF_MUTANTS_" + i;
      for (int number : here) {
        addChoice(body, number, mutants.get(number).replacements().get(i), "NOT_MUTANT_" + number + "_" + i, end);
      }
      body.add(original.get(i));
      if (!here.isEmpty()) body.add(new Statement.Label(end));
    }
    return body;
  }

  private static void addChoice(List<Statement> body, int number, List<Statement> replacement, String next,
      String end) {
    body.add(Instruction.of("setp.ne.u32", OTHER, WHICH, new Operand.Integer(number)));
    body.add(branch(Optional.of(new Guard(OTHER.name(), false)), next));
    body.addAll(replacement);
    body.add(branch(Optional.empty(), end));
    body.add(new Statement.Label(next));
  }

  private static Instruction branch(Optional<Guard> guard, String label) {
    return new Instruction(guard, "bra", List.of(), List.of(new Operand.Symbol(label)), 0);
  }
}
