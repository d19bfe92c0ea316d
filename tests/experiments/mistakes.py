"""Every mistake that a command answers with a sentence: the words | what the sentence begins with | what it holds.

All commands answer alike, so their mistakes are one table; `test_bad_input.py` gives each to its command, in a folder
that holds FILES.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

FILES = {
    "log.csv": "item,click\n1,0\n2,1\n",
    "bad.csv": "item,click\n1,0\n2,7\n",
    "nought.csv": "item,click,p\na,1,0.5\nb,0,0\n",
    "above.csv": "item,click,p\na,1,0.5\nb,0,1.5\n",
    "unpaid.csv": "item,p\na,0.5\nb,0.5\n",
    "cell.csv": "item,click,p1,p2\n1,0,0.5,0.5\n2,1,oops,0.5\n",
    "counts.csv": "item,shown,click\na,9,1\nb,5,7\n",
    "bare.csv": "a,1\nb,0\n",
    "prices.csv": "item,click\n1.50,1\n1.75,0\n",
    "late.csv": "item,click,t\na,1,1\nb,0,3\nb,,4\na,0,2\n",
    "bad.txt": "4\n8\n",
}

# By the module of the command, and the words that come first.
MISTAKES = {
    "run": r"""
bandit=nope | bandit must be one of | thompson | got 'nope'
bandit=UCB | bandit 'UCB' is unknown (did you mean ucb?); it must be one of anytime_halving,
bandit=my_rules.good \
    | bandit must be one of | ; for your own rule, use bandit=custom bandit.rule=my_rules.good \
    | got 'my_rules.good'
bandit=custom bandit.rule=math.py | bandit.rule 'math.py': module 'math' has no 'py'; give the function, not its file,
bandit=custom bandit.rule=math.sqr | bandit.rule 'math.sqr': module 'math' has no 'sqr' (did you mean sqrt?)
horizon=10,000 | Ambiguous value for argument 'horizon=10,000' 1. To use it as a list,
c=0.5 | c is not a known key (did you mean bandit.c?); the keys of the experiment are
arms=nope | arms must be one of | bernoulli_10 | got 'nope'
experiment=nope | experiment must be one of | comparison | got 'nope'
executor=nope | executor must be one of | serial | got 'nope'
bandit.d=3 | bandit.d is not a known key | name, label, c
horizn=3 | horizn is not a known key | horizon
+foo=1 | foo is not a known key | horizon | --help
++arms.foo=1 | arms.foo is not a parameter of bernoulli; it takes means, labels
bandit= | bandit must be one of | thompson | got ''
bandit@x=ucb | Could not override 'bandit@x'. Did you mean to override bandit? To
arms=from_log arms.path=log.csv arms.arm_column=itm | arms.arm_column 'itm' is not a column of log.csv (did you mean
players=[random,uct] | players is not a known key | it is a key of experiment=environments or judge or
~seed | seed must be given, as seed=VALUE; it has no default
bandit.c=-1 | bandit.c must be a finite number of at least 0; got -1
bandit.c=abc | bandit.c must be a number of at least 0; got 'abc'
bandit.name=null | bandit must be a policy, such as 'ucb c=0.5', {name: ucb, c: 0.5} or | got {'name': None, 'label':
bandit.name=[1] | bandit must be a policy, such as 'ucb c=0.5', {name: ucb, c: 0.5} or | got {'name': [1], 'label':
arms.name=from_log | arms.means is not a parameter of from_log; it takes path, arm_column, reward_column, shown_column
-m seed=range(3,0) | a sweep must have at least one combination of values; got none
-m seed=0,1,0 | seed must have different values in a sweep; got 0 more than once
-m bandit.c=0.1,0.2,1e-1 runs=1,2 | bandit.c must have different values in a sweep; got 0.1 more than once
-m bandit=ucb,kl_ucb,ucb | bandit must have different values in a sweep; got ucb more than once
horizon=0 | horizon must be a whole number of at least 1; got 0
horizon=abc | horizon must be a whole number of at least 1; got 'abc'
runs=1e9 horizon=1e9 | runs must be at most 2000000 at horizon 1000000000; got 1000000000
runs=1.5 | runs must be a whole number of at least 1; got 1.5
runs=null | runs must be a whole number of at least 1; got None
arms.means=null | arms.means must be a list of numbers; got None
seed=-1 | seed must be a whole number of at least 0; got -1
arms.means=[0.1,2] | arms.means[1] must be a finite number from 0 to 1; got 2
arms.means=[] | arms.means must hold at least 2 arms; got 0
arms=random_means arms.arms=1 | arms.arms must be a whole number of at least 2; got 1
arms=from_log | arms.path must be given for from_log; it has no default
arms=from_log arms.path=nope.csv | arms.path 'nope.csv': no such file; give a CSV file with a header line
arms=from_log arms.path=log.csv arms.reward_column=item | arms.arm_column and reward_column must differ; both are | item
arms=from_log arms.path=counts.csv arms.shown_column=shown | arms.path 'counts.csv', line 3: column 'click' must hold at
arms=from_log arms.path=bad.csv | arms.path 'bad.csv', line 3: column 'click' must hold 0 | got '7'; use a column of 0
bandit=kl_ucb arms=gaussian | arms must have rewards in [0, 1] for kl_ucb; got 3 Gaussian arms, means 0,
bandit=custom | bandit.rule must be the dotted path of your rule, such as my_rules.my_index; got ''
bandit=custom bandit.rule=no_such_module.rule | bandit.rule 'no_such_module.rule': no module 'no_such_module' can
bandit=custom bandit.rule=math.pi | bandit.rule 'math.pi' must name a function made with @bonus_rule, | float
executor.workers=0 | executor.workers must be a whole number of at least 1; got 0
arms.means=[0.1,0.2 | cannot read 'arms.means=[0.1,0.2': no viable alternative at input
runs=3000000000000 horizon=10 | runs must be a whole number of at most 1000000000; got 3000000000000
arms.means=[.nan,0.5] | arms.means[0] must be a number from 0 to 1; got '.nan'
bandit=custom bandit.rule=tests.bandits.test_own_rules.leaves_nan \
    | bandit.rule tests.bandits.test_own_rules.leaves_nan scores nan for an arm of 1 pulls | a score must be a number
bandit=custom bandit.rule=..x | bandit.rule must be a dotted path such as my_rules.my_index; got '..x'
arms=from_log arms.path= | arms.path must be a CSV file with a header line; got '', which is empty
arms=from_log arms.path=https://x.y/z.csv | arms.path must be a local file; got 'https://x.y/z.csv':
arms=from_log arms.path=/dev/zero | arms.path '/dev/zero' is not a regular file; give a CSV file with a header line
bandit=custom bandit.rule=a.b bandit.params=3 | bandit.params is not a known key | as +bandit.c=0.5
bandit=custom bandit.rule=bandits.policies.ucb.ucb +bandit.cc=1 | bandit.cc is not a parameter of | policies.ucb.ucb
arms.means=abc | arms.means must be a list of numbers; got 'abc'
seed=x | seed must be a whole number of at least 0; got 'x'
horizon=1e30 | horizon must be a whole number of at most 1000000000000; got 1000000000000000019884624838656
bandit.label=[1] | bandit.label must be a text; got [1]
horizon=${nope} | Interpolation key 'nope' not found full_key: horizon object_type=dict
bandit.c=1e101 | bandit.c must be a number of at most 1e+100 in absolute value; got 1e+101
bandit=sliding_window_ucb bandit.window=0 | bandit.window must be a whole number of at least 1; got 0
bandit=m_ucb bandit.window=0 | bandit.window must be a whole number of at least 2; got 0
bandit=cusum_ucb bandit.threshold=0 | bandit.threshold must be a finite number above 0; got 0
bandit=glr_kl_ucb bandit.restart=all | bandit.restart must be one of local, global; got 'all'
bandit=glr_kl_ucb bandit.splits=1 horizon=100000000 | horizon must be lower for glr_kl_ucb splits=1; got 100000000
bandit=discounted_ucb bandit.gamma=1.5 | bandit.gamma must be a finite number above 0 and at most 1; got 1.5
bandit=discounted_thompson bandit.gamma=0 | bandit.gamma must be a finite number above 0 and at most 1; got 0
bandit=exp3_s bandit.changes=0 | bandit.changes must be a whole number of at least 1; got 0
arms=random_means arms.arms=1000000000000 | arms.arms must be a whole number of at most 10000000; got 1000000000000
bandit=custom bandit.rule=[a] | bandit.rule must be the dotted path of your rule, such as my_rules.my_index; got ['a']
nonsense | cannot read 'nonsense': Error parsing override 'nonsense' missing
+bandit.c=3 | Could not append to config. An item is already at 'bandit.c'. Either
bandit=ucb,thompson | Ambiguous value | -m
figures=png | figures must be true or false
vectors=1 | vectors must be true or false
vectors=null | vectors must be true or false
""",
    "run experiment=identification": r"""
'bandits=[{name: lucb, delta: 1}]' | bandits[0].delta must be a finite number above 0 and below 1; got 1
stopping.delta=0 | stopping.delta must be a finite number above 0 and below 1; got 0
stopping.epsilon=-1 | stopping.epsilon must be a finite number of at least 0; got -1
stopping.epsilon=1 | stopping.epsilon must be below 1 for rewards in [0, 1]; got 1
arms=piecewise arms.arms=[0.2,0.8] arms.changes=[30] arms.means=[[0.9,0.3]] most=100 \
    | arms must have fixed means with a unique best arm
most=3 | most must be a whole number of at least 10; got 3
'bandits=[ucb,{name: kl_lucb, delta: 0.2}]' | bandits[1].delta must be at most stopping.delta, 0.05, or left | got 0.2
'bandits=[{name: ugape, rate: heuristic}]' | bandits[0].rate must be mixture for the stopping rule | got 'heuristic'
stopping=my_rules.lead \
    | stopping must be | ; for your own rule, use stopping=custom stopping.rule=my_rules.lead \
    | got 'my_rules.lead'
""",
    "run experiment=evaluate": r"""
log.path=nought.csv log.propensity_column=p | log.path 'nought.csv', line 3: column 'p' must hold a probability above 0
log.path=unpaid.csv log.propensity_column=p | log.reward_column 'click' is not a column of | it has 'item', 'p'
log=wide log.path=log.csv | log.reward_columns must be given for wide; it has no default
log.path=late.csv | log.path 'late.csv', line 4: column 'click' must hold a finite number | got ''; write 0 for no click
log.path=late.csv log.time_column=t log.leave_out=true | log.path 'late.csv', line 5: column 't' must | got '2'
log.path=log.csv 'policies=[uniform,{name: arm, arm: 7}]' | policies[1].arm must be one of the 2 arms of the log (1, 2);
log.path=log.csv 'policies=[{name: probabilities, arms: [1,red], shares: [0.5,0.5]}]' \
    | policies[0].arms[1] must be one of the 2 arms of the log (1, 2); got 'red'
log.path=log.csv policies=[uniform,ucb] | policies[1] must be one of | got 'ucb', a policy that learns; give it
log.path=log.csv log.uniform=true learners=[uniform] \
    | learners[0] must be one of | got 'uniform', a fixed policy; give it in policies
log.path=log.csv log.uniform=true learners=[linucb] | learners[0]: log must have features for | got 2 rows without fea
log.path=late.csv log.leave_out=true model=ridge | model must be means for a log without features; got
log.path=log.csv 'policies=[uniform,{name: columns, arms: [1,2], columns: [p1,p2]}]' \
    | policies[1].columns[0] 'p1' is not a column of log.csv
log.path=cell.csv 'policies=[uniform,{name: columns, arms: [2,1], columns: [p2,p1]}]' \
    | policies[1].columns[1]: path 'cell.csv', line 3: column 'p1' must hold a probability from 0 to 1 | got 'oops'
log.path=bare.csv log.header=false | log.columns must be given when header is false, such as [item,click]; got []
log.path=bare.csv log.header=false log.columns=[item,click,p] | log.path 'bare.csv', line 1: a row must have 3 cells,
log.path=prices.csv 'policies=[{name: arm, arm: 1.60}]' | policies[0].arm must be one of the 2 arms of the log (1.50,
""",
    "run experiment=match": r"""
player1=uct 'player1.policy={name: custom, rule: tests.bandits.test_own_rules.leaves_nan}' player2=random \
    | player1.policy.rule tests.bandits.test_own_rules.leaves_nan scores nan for an arm of 1 pulls
simulations=9 | simulations is not a known key | player1.simulations or player2.simulations?
openings=pair | openings 'pair': no such file (did you mean pairs?); it must be one of none, first_moves, pairs
player1=uct player1.policy=usb | player1.policy 'usb' is unknown (did you mean ucb?); it must be one of anytime_halving,
'player1=[{name: nix}]' | Hydra cannot read this command: can only concatenate str (not "dict") to str
player1=uct_best player2=random board=12x12 | board must have at most 128 bits, columns x (rows + 1); got 12x12, of 156
player1=uct_best player1.book=nope.npz player2=random | player1.book must be a file that can be read; got nope.npz
player1=uct_best player1.book=log.csv player2=random | player1.book must be a file of python -m | got log.csv
player1=uct_best player1.book=packaged player2=random board=6x5 \
    | book must be a file or null; the package has no book for 6x5 with | got 'packaged'
player1=uct_best player1.book=packaged player1.exact=false player2=random | player1.book must be left out unless exact
player1=nope | player1 must be one of | random | got 'nope'
player1.nope=1 | player1.nope is not a known key | name, label
player2=minimax player2.ply=2 | player2.ply is not a known key; the keys of player2 are name, label, depth
player2=program | player2.command must be a command line, such as 'python my_engine.py'; got ''
player2=kaggle player2.file=no_such.py | player2.file must be a submission's file; 'no_such.py': No such
player2=pettingzoo player2.agent=os.no_such | player2.agent 'os.no_such': module 'os' has no 'no_suc
player2=open_spiel player2.bot=os.no_such | player2.bot 'os.no_such': module 'os' has no 'no_such'
anytime=often | anytime must be true or false | 'often'
player1=random player2=program "player2.command='./nope --fast'" | command must start a program; got './nope
player1=custom | player1.path must be a dotted path such as my_players.MyPlayer; got ''
board=7 | board must be WIDTHxHEIGHT, columns x rows, such as 7x6, each from 1 to 64; got '7'
openings=bad.txt | openings 'bad.txt', line 2: moves must be columns from 1 to 7; at move 1 got '8'
games=100000000 | games must be a whole number of at most 10000000; got 100000000
""",
    "run experiment=uct_sweep": r"""
parameter=simulation | parameter 'simulation' is not a parameter of uct (did you mean simulations?); it must be
parameter=nope | parameter 'nope' is not a parameter of uct; it must be settings or one of | simulations
parameter=seed | parameter 'seed' is not a parameter of uct; it must be settings or one of
parameter=settings 'values=[{solve: true},{nope: 1}]' | values must hold settings of uct, such as | got {nope: 1}
parameter=settings values=[1,2] | values must hold settings of uct, such as {simulations: ...}, with the keys | got 1
parameter=settings 'values=[{solve: true},{c: -1}]' | player.c must be a finite number of at least 0; got -1
values=[1,1] | values must hold at least 2 different values, such as [0.5,1,2]; got [1,1]
values=3 | values must be a list, such as [0.5,1]; got 3
player=human parameter=label \
    | parameter 'label' is not a parameter of human; it must be settings or one of (it has none)
opponent=human | opponent must be a program that can play every game of a sweep; got 'human'
""",
    "run experiment=strength": r"""
positions=0 | positions must be a whole number from 1 to 4000; got 0
positions=3000 positions_from=random | positions must be a whole number from 1 to 2000; got 3000
positions_from=books | positions_from must be one of | random, self_play, traps | got 'books'
simulations=[0] | players[1].simulations must be a whole number of at least 1; got 0
seconds=[-1] | players[2].seconds must be a finite number above 0; got -1
players=[] | players must hold at least 1 player, such as ['minimax depth=5']; got 0
players=[random,human] | players[1] must be a program that can move in every position; got 'human'
""",
    "run experiment=comparison": r"""
bandits=[ucb,tests.bandits.test_own_rules.leaves_nan] \
    | bandits[1].rule tests.bandits.test_own_rules.leaves_nan scores nan for an arm of 1 pulls
anytime=1 | anytime must be true or false | 1
arms=testbed anytime=true | anytime must be false | Gaussian | unbounded
bandits=ucb | bandits must be a list, such as [ucb,...]; got ucb
bandits=[] | bandits must hold at least 1 policy, such as ['ucb c=0.5']; got 0
bandits=[ucb,nope] | bandits[1] must be one of | thompson | got 'nope'
'bandits=[ucb,{name: ucb, c: -1}]' | bandits[1].c must be a finite number of at least 0; got -1
'bandits=[{name: ucb, 5: 3}]' | bandits[0].5 is not a parameter of ucb; it takes c
""",
    "run experiment=leaderboard": r"""
problems=[testbed] | problems must contain at least one that counts in the score: ten means, rare, | got ['testbed']
bandits=[ucb,bayes_optimal] \
    | bandits[1] must play any number of arms; got bayes_optimal, which is for bandits of 2 Bernoulli arms
problems=[shorter] | problems[0] 'shorter' is unknown (did you mean short?); it must be one of
""",
    "run experiment=exact": r"""
arms=gaussian | arms must be Bernoulli arms
arms=random_means horizon=10 | arms.arms must be 2 for exact Bayesian regret; got 10
arms=bernoulli_10 | bandits[0]: arms must be from 2 to 8
horizon=501 | bandits[3]: horizon must be at most 500 for bayes_optimal; got 501
bandits=[thompson_gaussian] arms.means=[0.1,0.2,0.3] horizon=9 \
    | bandits[0]: policy thompson_gaussian has no choice probabilities for 3 arms
""",
    "run arms=piecewise arms.arms=[0.2,0.8] arms.changes=[30] arms.means=[[0.9,0.3]] horizon=90": r"""
experiment=comparison arms.changes=[90] | arms.changes must be below the horizon, 90 | got 90
experiment=trace horizon=20 | arms.changes must be below the horizon, 20 | got 30
arms.rate=0.01 | arms.changes or rate must be given, | got changes=[30] and rate=0.01 (changes=[] overrides a preset)
arms.rate=2 | arms.rate must be a finite number from 0 to 1; got 2
arms.means=[[0.9,1.3]] | arms.means[0].means[1] must be | got 1.3
experiment=exact horizon=20 bandits=[ucb] | arms must be Bernoulli arms
""",
    "run horizon=300": r"""
delivery=batch delivery.size=0 | delivery.size must be a whole number of at least 1; got 0
delivery=fixed delivery.delay=300 | delivery.delay must be at most 298, so that a reward arrives
delivery=late | delivery must be one of at_once, batch, fixed, from_log, geometric
delivery=from_log delivery.path=none.csv | delivery.path 'none.csv': no such file
experiment=scaling delivery=batch | Could not override 'delivery'
""",
    "run experiment=trace": r"""
'rows={null: null}' | Error merging override rows={null: null}
horizon=1000000000000 | horizon must be at most 1000000 for a trace of 10 arms; got 1000000000000
""",
    "run experiment=tournament": r"""
players=[] | players must hold at least 2 players, such as ['minimax depth=5']; got 0
'players=[random,{name: minimax, seed: 1}]' | players[1].seed is not a key
'players=[random,{name: program, command: ./nope --fast}]' | command must start a program; got './nope
players=[random,nope] | players[1] must be one of | level_2 | got 'nope'
""",
    "run experiment=environments": r"""
players=[level_0] | players must hold at least 2 players, such as ['minimax depth=5']; got 1
players=[level_0,human] | players[1] must be a program that can play a game in both places; got 'human'
""",
    "run experiment=random_games board=4x3 connect=3": r"""
player1=human | player1 must be a program that can play thousands of games; got 'human'
""",
    "run experiment=p_game": r"""
'policies=[{name: tests.bandits.test_own_rules.leaves_nan}]' \
    | policies[0].rule tests.bandits.test_own_rules.leaves_nan scores nan for an arm of 1 pulls
sizes=[] | sizes must hold different sizes, such as [2x20,8x8]; got []
sizes=[2x4,2x4] | sizes must hold different sizes, such as [2x20,8x8]; got ['2x4', '2x4']
sizes=[2] | sizes[0] must be BRANCHINGxDEPTH, such as 2x20, each at least 1, of | got '2'
sizes=[10x10] | sizes[0] must be BRANCHINGxDEPTH, such as 2x20, each at least 1, of | leaves | got '10x10'
policies=[epsilon_greedy] | policies[0] must be an index policy, such as ucb, kl_ucb or thompson; got epsilon_greedy
""",
    "run experiment=planning": r"""
process=sailng | process 'sailng' is unknown (did you mean sailing?); it must be one of custom, pig, piglet, sailing
process=my_processes.walk \
    | process must be one of | for your own process, use process=custom process.path=my_processes.walk
process.size=1 | process.size must be a whole number from 2 to 1000; got 1
process=pig process.size=5 | process.size is not a known key; the keys of process are name, goal, coin
process=custom | process.path must be the dotted path of your process, such as my_processes.Lake; got ''
process=custom process.path=math.pi | process.path 'math.pi' must name a Process, an object with | got 3.14159
process=custom process.path=tests.experiments.own_processes.walk +process.start=1 \
    | process.path 'tests.experiments.own_processes.walk' must name a class or a function that takes start
process=custom process.path=tests.experiments.own_processes.walk_from process.start=1 \
    | process.start is not a known key; give an argument of your process with a plus, as +process.start=...
process=custom process.path=tests.experiments.own_processes.walk_from +process.end=1 \
    | process.path 'tests.experiments.own_processes.walk_from' fails when called with end=1: TypeError
process=custom process.path=tests.experiments.own_processes.broken \
    | process.path 'tests.experiments.own_processes.broken' fails when called with no arguments: RuntimeError: no walk
process=custom process.path=tests.experiments.own_processes.walk_from +process.start=6 \
    | process must have an action in its initial state; got none
policies=[exp3] | policies[0] must be an index policy, such as ucb, kl_ucb or thompson; got exp3
scales=tree | scales must be a list, such as [tree,spread,[-100,0]]; got 'tree'
scales=[wide] | scales[0] must be one of tree, spread, or bounds of returns, | got 'wide'
scales=[tree,[1,0]] | scales[1] must be one of tree, spread, or bounds | got [1.0, 0.0]
scales=[[a,1]] | scales[0][0] must be a number; got 'a'
scales=[tree,tree] | scales must hold different scales; got ['tree', 'tree']
simulations=[] | simulations must be a list, such as [100,1000]; got []
simulations=[10,0] | simulations[1] must be a whole number of at least 1; got 0
simulations=[10,10] | simulations must hold different numbers; got [10, 10]
starts=0 | starts must be a whole number of at least 1; got 0
loop=half | loop must be one of closed, open; got 'half'
""",
    "run experiment=root_regret": r"""
positions=3000 | positions must be a whole number from 1 to 2000; got 3000
policies=[] | policies must hold at least 1 policy, such as ['ucb c=0.5']; got 0
policies=[discounted_ucb] | policies[0] must not forget rewards, because a tree | got discounted_ucb
game=hexx | game 'hexx' is unknown (did you mean hex?)
game=hex game.size=6 | board must have at most | to be solved
game=custom game.cls=tests.experiments.own_games.TicTacToe | game must have exact values: | scores() | got TicTacToe
game=custom game.cls=tests.experiments.own_games.Dice \
    | game must be without chance, so that it can be solved; chance moves at tests
game=custom game.cls=tests.experiments.own_games.Paid | game tests | cannot be searched: board must be
""",
    "run experiment=scaling": r"""
gaps=[0.1,0] | gaps[1] must be a finite number above 0 and at most 1; got 0
numbers_of_arms=[1,2] | numbers_of_arms[0] must be a whole number from 2 to 100000; got 1
horizons=[10,10] | horizons must hold different values; got [10, 10]
horizons=[] gaps=[] numbers_of_arms=[] | numbers_of_arms, gaps and horizons must not all be empty
""",
    "run experiment=tune": r"""
parameter=depth | parameter 'depth' is not a parameter of uct; it must be settings or one of
values=[1] | values must hold at least 2 different values, such as [0.5,1,2]; got [1]
delta=0.9 | delta must be a finite number from 1e-06 to 0.5; got 0.9
method=sequential_halving budget=3 | budget must be a whole number of at least 90; got 3
method=optuna | values must be the lowest and the highest value for method=optuna, such as | got [0.05, 0.07, 0.1, 0.14,
elo0=30 | elo0 must be below elo1, both from -400 to 400; got elo0=30 elo1=20
games=41 | games must be even, pairs of one opening with colours swapped; got 41
board=5x4 | signal=positions requires Connect 4 on 7x6 with 4 in a row; use signal=games
player=human | player must be a program that can play thousands of games; got 'human'
""",
    "run experiment=grade": r"""
rates=[0.1,0.1] | rates must hold at least 2 different rates, such as [0,0.1,0.4,1]; got [0.1,0.1]
rates=[0,2] | rates[1] must be a finite number from 0 to 1; got 2
player=human | player must be a program that can play every game of a search for its grade; got 'human'
""",
    "run experiment=sprt player1=random player2=random": r"""
elo0=10 elo1=10 | elo0 must be below elo1, both from -400 to 400; got elo0=10 elo1=10
alpha=0.5 beta=0.5 | alpha and beta must be above 0 with a sum below 1; got alpha=0.5 beta=0.5
alpha=0 | alpha and beta must be above 0 with a sum below 1; got alpha=0 beta=0.05
games=41 | games must be even, pairs of one opening with colours swapped; got 41
openings=pairs | openings must be balanced, or a file with one opening per line, such as 4453; got 'pairs'
board=8x7 | openings=balanced requires 7x6 or a board of at most 30 cells, | got 8x7 with 4 in a row; give
model=trinomial | model must be one of | normalized | got 'trinomial'
player1=human | player1 must be a program that can play thousands of games; got 'human'
""",
    "catalogue": r"""
usb | what 'usb' is unknown (did you mean ucb?); it must be policies, arms, players
bibtex=ucbb | bibtex 'ucbb' is unknown (did you mean ucb?); it must be one of all,
bibtex=random | bibtex must name policies | random is uniform play
'convert=openspeil uct_c=2' \
    | the program of convert 'openspeil' is unknown (did you mean openspiel?); it must be one of here,
'convert=openspiel c=2' | openspiel must be given uct_c=VALUE, a number from 0 to 1,000,000; got 'c=2'
'convert=openspiel uct_c=nan' | openspiel must be given uct_c=VALUE | got 'uct_c=nan'
""",
    "sprt": r"""
-1,2,3,4,5 | COUNTS must be five whole numbers of at least 0, pairs | got '-1,2,3,4,5'
1,2,3,4,5 elo0=5 elo1=5 | elo0 must be below elo1, both from -400 to 400; got elo0=5 elo1=5
1,2,3,4,5 alpha=0.6 beta=0.4 | alpha and beta must be above 0 with a sum below 1; got alpha=0.6 beta=0.4
1,2,3,4,5 model=bayes | model must be one of | normalized | got 'bayes'
""",
    "judge": r"""
| command or player must be given, as command="python my_engine.py"
command=sh player=uct | command must be left out if player is given
command= | command must be a command line, such as 'python my_engine.py'; got ''
'command='"'"'x' | command must be a command line; got "'x" (No closing quotation)
player=nobody | player must be one of | got 'nobody'
player=level_4 budget=10 | budget must be left out: level_4 has no budget
'player=uct simulations=5' budget=9 | budget must be left out: simulations is given
player=uct limit=9 | limit must be left out for uct: only programs have
command=sh c=1 | c is not a known key | python -m experiments.judge takes command, player
player=human | player must be a program, such as uct; got 'human'
command=sh budget=0 | budget must be a finite number above 0; got 0
command=sh budget=9000 limit=2 | seconds must be at most limit=2; got 9
command=sh limit=0 | limit must be a finite number above 0; got 0
command=sh positions=0 | positions must be a whole number of at least 1; got 0
command=sh positions=20000 | positions must be a whole number from 1 to 9000; got 20000
command=sh positions_from=held_out positions=7000 | positions must be a whole number from 1 to 3000; got 7000
command=sh seed=-1 | seed must be a whole number of at least 0; got -1
command=sh board=9x9 | board must have at most 40 empty cells if it has more than 64 bits; got 9x9 with 81 empty cells
reference=true board=6x6 | reference must be left out with another game or board: the known
command=sh workers=0 | workers must be a whole number of at least 1; got 0
""",
    "answer": r"""
player=nobody | player must be one of | got 'nobody'
'player=uct d=3' | player.d is not a parameter of uct
player=uct board=0x3 | board must be
""",
    "play": r"""
'player={name: program, command: ./nope --fast}' | command must start a program; got './nope --fast' (No such file or
player=human | player must be a program, such as uct; got 'human'
simulations=many | simulations must be a whole number of at least 1; got 'many'
connect=1 | connect must be a whole number of at least 2; got 1
first=me | first must be one of | computer | got 'me'
seed=-1 | seed must be a whole number of at least 0; got -1
'player=minimax deep' | player must be a name and parameters such as c=0.5, separated by spaces; got 'deep'
'player=minimax depth=1' deep | unexpected argument 'deep'; python -m experiments.play takes player,
'player=minimax depht=3' | player.depht is not a parameter of minimax (did you mean depth?); it
moves=448 | moves must be columns from 1 to 7; at move 3 got '8'
moves=1212121 | moves must not end the game; got '1212121'
player=custom | player.path must be a dotted path such as my_players.MyPlayer; got ''
compare=ucb,nope | compare must be one of | thompson | got 'nope'
compare=ucb,softmax | compare must be an index policy, such as ucb, kl_ucb or thompson; got softmax
compare=ucb | compare must hold two rules, such as ucb c=0.5,thompson; got 1
compare=ucb,thompson player=random | player must be left out with compare: no game is played; got 'random'
compare=ucb,thompson moves=1212121 | moves must not end the game; got '1212121'
player=uct_best board=12x12 | board must have at most 128 bits, columns x (rows + 1); got 12x12
""",
    "record": r"""
1212121 | moves must not end the game; got '1212121'
rule=ubc | rule 'ubc' is unknown (did you mean ucb?); it must be one of anytime_halving,
rule2=softmax | rule2 must be an index policy, such as ucb, kl_ucb or thompson; got softmax
'rule=custom rule=nope.x' | rule.rule 'nope.x': no module 'nope' can be imported from here (it was not found)
'rule=ucb c' | rule must be a name and parameters such as c=0.5, separated by spaces; got 'c'
rule2=ucb | rule2 must differ from rule; got 'ucb'
--exact | --exact is not a known option (write exact=VALUE); python -m
--ruel ucb | --ruel is not a known option (did you mean rule?); python -m
ruel=ucb | ruel is not a known key (did you mean rule?); python -m experiments.record takes moves, rule,
44 45 | unexpected argument '45'; python -m experiments.record takes moves,
-o | -o must have a value behind it, as -o OUTPUT
simulations=0 | simulations must be a whole number of at least 1; got 0
simulations=1e6 | simulations must be at most 9210 for a file below 1 MB with 1 rule; got 1000000
board=20x20 | board must have at most 128 bits, columns x (rows + 1); got 20x20
playouts=foo | playouts must be one of uniform, biased, careful; got 'foo'
horizon=9 | horizon requires arms; got 9
44 arms=0.3,0.5 | moves must be left out with arms; got 44
arms=0.3,1.5 | arms.means[1] must be a finite number from 0 to 1; got 1.5
arms=0.3,0.5 horizon=1e6 | horizon must be at most 17500 for a file below 1 MB with 1 rule; got 1000000
rule=puct command=./engine | rule must be left out with command; got puct
arms=0.3,0.5 command=./engine | arms must be left out with command; got [0.3, 0.5]
player=level_1 | player requires command or player2; got level_1
player2=level_1 first=player | first must be left out in a game of player and player2; got player
player2=level_1 command=./engine | player2 must be left out with command; got level_1
player2=level_1 rule=puct | rule must be left out with player2; got puct
game=custom | game.cls must be the dotted path of your class, such as my_games.Nim; got ''
game=custom game.cls=tests.experiments.own_games.Nim exact=true | exact must be left out with games other
game=tests.experiments.own_games.Nim 'command=./engine' | command must be left out with games other than Connect 4
game=tests.experiments.own_games.Nim arms=0.3,0.5 | game must be left out with arms; got
game=tests.experiments.own_games.Nim player2=minimax | minimax cannot play at tests.experiments.own_games.Nim
game=tests.experiments.own_games.Nim '(0,1) 7' | moves '(0,1) 7': move 2, 7, is not legal
game=tests.experiments.own_games.Dice | game must be for two players, without chance, | own_games.Dice
game=tests.experiments.own_games.Nim '(0,1) (1,2)' | moves must not end the game; got '(0,1) (1,2)'
game=tests.experiments.own_games.TicTacToe simulations=1e5 | simulations must be at most | for a file below 1 MB
command=./engine player=human | player must be a program, such as uct; got 'human'
command=./engine seconds=20 | seconds must be at most limit=10; got 20
command= | command must be a command line, such as 'python my_engine.py'; got ''
command=./engine | command must give a legal move in one of | (./engine cannot be started | got none (./engine cannot be
-o search.txt | --output must end in .html or .json; got 'search.txt'
-o nowhere/search.html | --output must be a file in an existing folder; got 'nowhere/search.html'
-o /proc/search.html | --output cannot be written: No such file or directory; got '/proc/search.html'
""",
    "run bandit=ucb horizon=30 runs=3": r"""
arms=finite arms.values=[0,0.5,1] arms.probabilities=[[0.5,0.3,0.1],[0.2,0.3,0.5]] \
    | arms.probabilities[0] must sum to 1 | got 0.9
arms=finite arms.values=[0,1] arms.probabilities=null | arms.values must hold at least 2 arms; got 1
arms=mixture 'arms.parts=[{name: beta, means: [1.5]}]' | arms.parts[0].means[0] must be a finite number from 0 | got 1.5
arms=mixture arms.parts=[beta] | arms.parts[0].means must be given for beta; it has no default
""",
}


def mistakes() -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each: the command with its first words, the other words, and the parts of the sentence."""
    for door, lines in MISTAKES.items():
        for line in lines.replace("\\\n", "").strip().splitlines():
            words, *parts = line.split("|")
            yield door, shlex.split(words), [part.strip() for part in parts]
