echo "The corner shop. Open from 8 to 19."
