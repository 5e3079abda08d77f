# What OpenBench's worker calls, and whoever wants the fastest program for this machine:
#
#   make EXE=NAME [EVALFILE=NETWORK]
#
# builds NAME for this machine's processor, guided by a profile of itself where rustup's component llvm-tools is there, with the
# repository's network or another one embedded.

EXE = enfilade

.PHONY: all
all:
# The worker unpacks an archive without its files' permissions.
	+EVALFILE='$(abspath $(EVALFILE))' bash scripts/pgo --or-plain native
	cp target/pgo/enfilade '$(EXE)'
