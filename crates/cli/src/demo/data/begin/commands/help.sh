echo "The corner shop."
